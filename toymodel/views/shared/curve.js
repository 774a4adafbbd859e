// A curve with its scales. Where each number stands, and what is written there, comes from Python.

const [WIDTH, HEIGHT] = [330, 226]; // of the picture, which then takes the room that there is
const [LEFT, ABOVE, BELOW] = [42, 28, 34]; // around the curve
const RIGHT = 18; // half a label
const TOP = 12; // what stands above the curve: there it cannot be in its way

function drawCurve(svg, { points, at, right, top, x, y, guessing, axes, words }) {
  const across = (n) => LEFT + (n / right) * (WIDTH - LEFT - RIGHT);
  const up = (loss) => HEIGHT - BELOW - (loss / top) * (HEIGHT - ABOVE - BELOW);
  const line = (x1, y1, x2, y2, name) => makeSvg("line", { x1, y1, x2, y2, class: name });
  const text = (words, x, y, anchor) => makeSvg("text", { x, y, "text-anchor": anchor }, words);
  const [floor, end] = [up(0), across(right)];
  const [level, name] = guessing;
  svg.setAttribute("aria-label", words);
  svg.replaceChildren(
    ...y.flatMap(([value, label]) => [
      line(LEFT, up(value), end, up(value), "tm-rule"),
      text(label, LEFT - 6, up(value) + 4, "end"),
    ]),
    ...x.flatMap(([value, label]) => [
      line(across(value), floor, across(value), floor + 4, "tm-axis"),
      text(label, across(value), floor + 17, "middle"),
    ]),
    line(LEFT, floor, end, floor, "tm-axis"),
    line(LEFT, up(level), end, up(level), "tm-level"),
    text(axes[0], end, HEIGHT - 3, "end"),
    text(axes[1], 2, TOP, "start"),
    line(LEFT + 24, TOP - 4, LEFT + 48, TOP - 4, "tm-level"),
    text(name, LEFT + 54, TOP, "start"),
    makeSvg("polyline", { points: points.map(([n, loss]) => `${across(n)},${up(loss)}`).join(" "), class: "tm-curve" }),
    line(across(at[0]), ABOVE, across(at[0]), floor, "tm-here"),
    makeSvg("circle", { cx: across(at[0]), cy: up(at[1]), r: 4.5, class: "tm-here" }),
  );
}
