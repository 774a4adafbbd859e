// Where everything stands in the picture of the path: pure functions, in pixels, of what is to be drawn.

const LANE = 30; // the height of a token's lane, and of a row of an open matrix
const TOP = 92; // above the lanes: arcs, and the column labels of an open matrix
const LEVEL = 32; // below them, the blocks' names ...
const BOTTOM = 20; // ... and a scroll bar
const START = 20; // from the tokens at the left edge to the first block
const CELL = 50; // the width of a number in an open matrix
const PAD = 4;
const BAR = 17; // the height of a token's bar at the right edge
const FAN = 24; // from the last lanes to the bars
const CARD = 7; // how far a head's card looks out from behind the one in front
// mini: the width of a number in a closed block; gap: between blocks; levels: of names, which may be wider than blocks.
const ROOMY = { mini: 6, gap: 20, levels: 1 };
const TIGHT = { mini: 4, gap: 6, levels: 2 };

// blocks: [{ columns: [for each of its matrices], isOpen, cards, gap: more room after it }]. Gaps grow to fill the room.
function layout(blocks, lanes, room, bars) {
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const widthOf = ({ columns, cards }, cell) =>
    Math.max(22, cell * sum(columns) + 2 * PAD * columns.length + (cards - 1) * CARD);
  const more = blocks.map(({ gap }) => gap);
  const needed = (widths, { gap }) => START + FAN + gap * (blocks.length - 1) + sum(widths) + sum(more);
  // What is open counts as one matrix, whichever it is: so all keeps its size while a reader walks.
  const isRoomy = needed(blocks.map((it) => widthOf(it, ROOMY.mini)), ROOMY) + 4 * CELL <= room;
  const size = isRoomy ? ROOMY : TIGHT;
  const widths = blocks.map((it) => widthOf(it, it.isOpen ? CELL : size.mini));
  const gap = size.gap + Math.max(0, room - needed(widths, size)) / Math.max(1, blocks.length - 1);
  let x = START;
  const placed = widths.map((width, k) => {
    const block = { x, width };
    x += width + gap + more[k];
    return block;
  });
  return {
    ...size,
    width: x - gap - more.at(-1) + FAN,
    height: Math.max(TOP + lanes * LANE + size.levels * LEVEL + BOTTOM, barAt(bars)),
    blocks: placed,
    bottom: TOP + lanes * LANE,
  };
}

// The middle of a lane, and of a bar at the right edge.
function laneAt(i) {
  return TOP + (i + 0.5) * LANE;
}

function barAt(i) {
  return TOP - 2 * LANE + (i + 0.5) * BAR;
}

// A curve from one point to another that leaves and arrives level.
function curve(x0, y0, x1, y1) {
  const middle = (x0 + x1) / 2;
  return `M${x0},${y0} C${middle},${y0} ${middle},${y1} ${x1},${y1}`;
}

// A band that changes its width on the way.
function band(x0, y0, w0, x1, y1, w1) {
  const m = (x0 + x1) / 2;
  return (
    `M${x0},${y0 - w0 / 2} C${m},${y0 - w0 / 2} ${m},${y1 - w1 / 2} ${x1},${y1 - w1 / 2} ` +
    `L${x1},${y1 + w1 / 2} C${m},${y1 + w1 / 2} ${m},${y0 + w0 / 2} ${x0},${y0 + w0 / 2} Z`
  );
}

// The residual stream jumping over what stands between two blocks.
function arc(x0, x1, y, height) {
  const r = Math.min(18, (x1 - x0) / 4);
  const top = y - height;
  return `M${x0},${y} Q${x0},${top} ${x0 + r},${top} L${x1 - r},${top} Q${x1},${top} ${x1},${y}`;
}

// A key's way from its lane up over the card and down into its column.
function over(x0, y0, x1, y1) {
  const turn = Math.min(14, (x1 - x0) / 2);
  const top = y1 - 22;
  const rise = `C${x0 + turn},${y0} ${x0 + turn},${top} ${x0 + 2 * turn},${top}`;
  return `M${x0},${y0} ${rise} L${x1 - 6},${top} Q${x1},${top} ${x1},${y1}`;
}
