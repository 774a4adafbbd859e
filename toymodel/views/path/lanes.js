// What runs and stands on the lanes: ribbons between the blocks, arcs above them, and closed blocks as shades.

const KINDS = ["q", "k", "v"];
const THICK = 12; // of the ribbon of a weight of 1

function stroke(d, className, width) {
  return makeSvg("path", { d, class: className, style: width === undefined ? "" : `stroke-width: ${width}` });
}

function lanesSvg(state, at, place) {
  const isRow = (i) => (i === state.row ? " tm-row" : "");
  const parts = [
    ...state.tokens.flatMap((_, i) => laneOf(state, i, isRow(i), place)),
    ...state.tokens.flatMap((_, i) => headOf(state, i, isRow(i), at, place)),
    ...ribbonNames(place),
    ...streamArcs(state, place),
    ...barFan(state, place),
    ...state.blocks.slice(0, -1).flatMap((block, k) => cardOf(block, k, k === at, state, place)),
  ];
  return makeSvg("svg", { width: place.width, height: place.height, "aria-hidden": "true" }, ...parts);
}

// A token's lane from block to block, as wide as it has numbers there.
function laneOf({ blocks }, i, isRow, { left, right }) {
  const width = (k) => 2 * blocks[k].shades[0][0].length;
  const parts = [stroke(curve(0, laneAt(i), left(0), laneAt(i)), `tm-flow${isRow}`)];
  for (let k = 0; k < blocks.length - 3; k++) {
    if (blocks[k].kind === "qkv" || blocks[k].kind === "heads") continue;
    const way = band(right(k), laneAt(i), width(k), left(k + 1), laneAt(i), width(k + 1));
    parts.push(stroke(way, `tm-lane${isRow}`));
  }
  const last = blocks.length - 2; // the logits have as many numbers as there are tokens: a band would cover all
  parts.push(stroke(curve(right(last - 1), laneAt(i), left(last), laneAt(i)), `tm-flow${isRow}`));
  return parts;
}

// A token's query enters the head from the left, its key from above, its value passes to the right side; from there
// the values that it reads come in, as thick as their weights.
function headOf({ weights, blocks }, i, isRow, opened, { left, right, at, mini }) {
  const heads = at("heads");
  const [x, y] = [right(at("qkv")), laneAt(i)];
  const isOpen = opened === heads;
  const column = left(heads) + PAD + (i + 0.5) * (isOpen ? CELL : mini);
  const reads = weights[i].map((weight, j) => {
    const way = curve(right(heads), laneAt(j), left(heads + 1), y);
    return stroke(way, `tm-flow tm-v tm-weight${isRow}`, Number(weight) * THICK);
  });
  return [
    stroke(curve(x, y - 6, left(heads), y), `tm-flow tm-q${isRow}`),
    stroke(over(x, y, column, isOpen ? TOP - 26 : TOP), `tm-flow tm-k${isRow}`),
    stroke(curve(x, y + 6, right(heads), y), `tm-flow tm-v${isRow}`),
    ...(blocks[heads].off ? [] : reads),
  ];
}

// The three ribbons' names, where they begin.
function ribbonNames({ right, at }) {
  return KINDS.map((kind, j) => {
    const text = makeSvg("text", { class: `tm-ribbon tm-${kind}`, x: right(at("qkv")) + 6 + 9 * j, y: TOP - 4 });
    text.textContent = kind;
    return text;
  });
}

function streamArcs({ blocks }, { left, right }) {
  const streams = blocks.flatMap(({ kind }, k) => (kind === "stream" ? [(left(k) + right(k)) / 2] : []));
  return streams.slice(1).map((end, j) => stroke(arc(streams[j], end, TOP - 4, 44 - 14 * j), "tm-arc"));
}

// From the followed lane to the bars.
function barFan({ bars, blocks, row }, { right, width }) {
  const start = right(blocks.length - 2);
  const isBest = (i) => (i === bars.best ? " tm-row" : "");
  return bars.rows.map((_, i) => stroke(curve(start, laneAt(row), width, barAt(i)), `tm-flow tm-out${isBest(i)}`));
}

// A closed block shows its numbers as shades; the heads are cards, one behind the other.
function cardOf(block, k, isOpen, { head_names }, { left, right, bottom, mini }) {
  const cards = block.kind === "heads" ? head_names.length : 1;
  const [x, height, width] = [left(k), bottom - TOP, right(k) - left(k) - (cards - 1) * CARD];
  const look = `tm-card${block.off ? " tm-off" : ""}`;
  const parts = [];
  for (let card = cards - 1; card >= 0; card--)
    parts.push(makeSvg("rect", { class: look, x: x + card * CARD, y: TOP - card * 4, width, height, rx: 5 }));
  if (!isOpen) parts.push(...shadesOf(block, x + PAD, mini));
  const dot = (i) => makeSvg("circle", { class: "tm-dot", cx: x - 4, cy: laneAt(i), r: 3 });
  return [...parts, ...block.changed.map(dot)];
}

function shadesOf({ shades, kind }, x, mini) {
  let start = x;
  return shades.flatMap((rows, j) => {
    const frame = kind === "qkv" ? ` tm-${KINDS[j]}` : "";
    const shade = (percent, i, c) => {
      const look = `tm-mini${frame}${percent < 0 ? " tm-below" : ""}`;
      const place = { x: start + c * mini, y: laneAt(i) - 9, width: mini - 1, height: 18 };
      return makeSvg("rect", { class: look, style: `--share: ${Math.abs(percent) / 100}`, ...place });
    };
    const drawn = rows.flatMap((row, i) => row.map((percent, c) => shade(percent, i, c)));
    start += rows[0].length * mini + 2 * PAD;
    return drawn;
  });
}
