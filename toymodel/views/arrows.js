// Draws what arrows.py computed: of each head a plane of arrows, its line of scores, its strip. Only places are made here.

const HEAD = 9; // px: how long the head of an arrow is

function render({ model, el }) {
  const begin = model.get("state");
  const labels = model.get("labels");
  const controls = new Controls(model);
  controls.text("text");
  if (begin.heads.length) controls.radios("n_heads", begin.heads);
  if (begin.masks) controls.checkbox("causal");
  const showQueries = controls.select("query", { lang: "pt" });
  const showHeads = controls.select("head");
  const showTurn = controls.slider("turn", { min: -180, max: 180, step: 5 });
  const showStretch = controls.slider("stretch", { min: 0, max: 3, step: 0.1 });
  const back = press(labels.back, "back", () => send(model, { turn: 0, stretch: 1 }));
  controls.element.append(back);
  const sentence = make("p", { className: "tm-place", role: "status" });
  const changes = changesLine();
  const panels = make("div", { className: "tm-panels" });
  const pick = ({ head }, key, column) => send(model, { head, key, column });
  const sum = new WrittenOut(model);
  const drag = new Drag(model, controls);

  const draw = (state) => {
    showQueries(state.queries, state.query);
    showHeads(Array.from({ length: state.n_heads }, (_, k) => String(k)), state.head);
    showTurn(state.turn);
    showStretch(state.stretch);
    sentence.replaceChildren(...writeAll(state.sentence, labels));
    const panel = (it, k) => {
      const grid = new Grids(model, pick);
      const own = state.can_turn && k === state.head;
      return make("div", {}, ...picture(it, own ? drag : null), grid.draw([state.tables[k]]));
    };
    panels.replaceChildren(...state.heads_drawn.map(panel));
    say(changes, state.changes);
    sum.draw(state.sum);
  };
  const beside = make("div", { className: "tm-beside" }, panels, sum.element);
  return mount({ model, el }, controls, [sentence, changes, beside], draw);
}

// What the tip of a query is dragged to: sent when the last answer has come.
class Drag {
  constructor(model, controls) {
    this.model = model;
    this.labels = model.get("labels");
    [this.waits, this.next] = [false, null];
    controls.when("change:dragged", () => model.get("dragged").length || this.answered()); // Python takes it, and empties it
  }

  begin(event, svg, most) {
    event.preventDefault();
    const box = svg.getBoundingClientRect(); // of where it began: each answer draws another one
    const move = ({ clientX, clientY }) => {
      this.ask({ dragged: fromPlane([clientX - box.left, clientY - box.top], most) });
    };
    const over = new AbortController();
    window.addEventListener("pointermove", move, { signal: over.signal });
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => over.abort(), { signal: over.signal });
  }

  ask(values) {
    if (this.waits) this.next = values;
    else {
      this.waits = true;
      send(this.model, values);
    }
  }

  answered() {
    const { next } = this;
    [this.waits, this.next] = [false, null];
    if (next) this.ask(next);
  }
}

function picture(it, drag) {
  return [...(it.q ? [plane(it, drag)] : []), line(it)];
}

function arrow([x0, y0], { tip, along: [ux, uy] }, most, name) {
  const [x1, y1] = onPlane(tip, most);
  const corner = (side) => `${x1 - HEAD * ux - side * 4 * uy},${y1 + HEAD * uy - side * 4 * ux}`;
  return [
    makeSvg("line", { x1: x0, y1: y0, x2: x1 - 5 * ux, y2: y1 + 5 * uy, class: name }),
    makeSvg("polygon", { points: `${x1},${y1} ${corner(1)} ${corner(-1)}`, class: name }),
  ];
}

function plane({ q, own, keys, feet, sizes, marks, most }, drag) {
  const svg = makeSvg("svg", { width: SIDE, height: SIDE, class: "tm-plane", "aria-hidden": "true" });
  const at = (point) => onPlane(point, most);
  const line = ([x1, y1], [x2, y2], name) => makeSvg("line", { x1, y1, x2, y2, class: name });
  const [middle, tip] = [at([0, 0]), at(q.tip)];
  const text = ([x, y], words, name) => makeSvg("text", { x, y, "text-anchor": "middle", class: name }, words);
  svg.append(line([0, middle[1]], [SIDE, middle[1]], "tm-cross"), line([middle[0], 0], [middle[0], SIDE], "tm-cross"));
  keys.forEach((it, k) => svg.append(line(at(it.tip), at(feet[k]), "tm-plumb")));
  keys.forEach((it) => svg.append(...arrow(middle, it, most, "tm-key-arrow")));
  feet.forEach((it, k) => {
    const [cx, cy] = at(it);
    svg.append(makeSvg("circle", { cx, cy, r: 3 + 9 * sizes[k], class: "tm-foot" }));
  });
  if (String(own.tip) !== String(q.tip)) svg.append(...arrow(middle, own, most, "tm-own-arrow"));
  svg.append(...arrow(middle, q, most, "tm-query-arrow"));
  const beyond = ([x, y]) => [x, y < middle[1] ? y - 6 : y + 15];
  const names = keys.map((it, k) => ({ at: beyond(at(it.tip)), name: marks[k][0].token }));
  for (const it of apart(names)) svg.append(text(it.at, it.name, "tm-key-name"));
  svg.append(text([tip[0] + 18 * q.along[0], tip[1] - 18 * q.along[1] + 5], "q", "tm-query-name"));
  if (drag) {
    const handle = makeSvg("circle", { cx: tip[0], cy: tip[1], r: 11, class: "tm-tip" }, makeSvg("title", {}, drag.labels.drag));
    handle.addEventListener("pointerdown", (event) => drag.begin(event, svg, most));
    svg.append(handle);
  }
  return svg;
}

// Names of arrows that end in one place stand together.
function apart(names) {
  const kept = [];
  for (const it of names) {
    const meets = (kin) => Math.abs(kin.at[0] - it.at[0]) < ((kin.name.length + it.name.length) / 2) * LETTER;
    const other = kept.find((kin) => meets(kin) && Math.abs(kin.at[1] - it.at[1]) < 13);
    if (other) other.name = `${other.name} ${it.name}`;
    else kept.push({ ...it });
  }
  return kept;
}

function line({ marks }) {
  const svg = makeSvg("svg", { width: SIDE, height: LINE.high, class: "tm-line-of", "aria-hidden": "true" });
  const placed = onLine(marks, SIDE);
  svg.append(makeSvg("line", { x1: 0, x2: SIDE, y1: LINE.top, y2: LINE.top, class: "tm-cross" }));
  for (const { x, left, width } of placed) {
    const half = (LINE.top + LINE.strip) / 2;
    const d = `M${x},${LINE.top} C${x},${half} ${left},${half} ${left},${LINE.strip} L${left + width},${LINE.strip} C${left + width},${half} ${x},${half} ${x},${LINE.top} Z`;
    svg.append(makeSvg("path", { d, class: "tm-part" }));
    svg.append(makeSvg("rect", { x: left, y: LINE.strip, width, height: LINE.thick, class: "tm-part tm-solid-part" }));
    svg.append(makeSvg("circle", { cx: x, cy: LINE.top, r: 4, class: "tm-key-dot" }));
  }
  const text = (words, x, y) => makeSvg("text", { x, y, "text-anchor": "middle" }, words);
  for (const it of named(placed)) svg.append(text(it.text, it.x, LINE.top - 9));
  for (const { name, left, width } of placed)
    if (width > 44) svg.append(text(name.token, left + width / 2, LINE.strip + 17));
  return svg;
}

export default { render };
