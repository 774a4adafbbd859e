// The layout of the path's picture, as pure functions of what is to be drawn: run by test_layout.py with `node --test`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

// A view's files are put together without imports or exports: so this one is read, and asked for its names.
const script = readFileSync(new URL("../../toymodel/views/path/layout.js", import.meta.url), "utf8");
const names = ["layout", "laneAt", "barAt", "curve", "band", "arc", "over"];
const sizes = ["LANE", "TOP", "LEVEL", "BOTTOM", "START", "CELL", "PAD", "BAR", "FAN", "CARD", "ROOMY", "TIGHT"];
const all = new Function(`${script}; return { ${[...names, ...sizes]} };`)();
const { layout, laneAt, barAt, curve, band, arc, over } = all;
const { LANE, TOP, LEVEL, BOTTOM, START, CELL, PAD, BAR, FAN, CARD, ROOMY, TIGHT } = all;

const [QKV, HEADS] = [3, 4]; // places of blocks
const BARS = 12;
const WIDE = 20; // more room after these two

// The columns of each block's matrices: attention has one for each token.
const columns = (lanes, heads) => {
  const dHead = 4 / heads;
  return [[4], [4], [4], [dHead, dHead, dHead], [lanes], [4], [4], [4], [4], [8], [4], [4], [4], [12]];
};
const blocks = (lanes, heads, open) =>
  columns(lanes, heads).map((it, k) => {
    const gap = k === HEADS || k === QKV ? WIDE : 0;
    return { columns: it, isOpen: k === open, cards: k === HEADS ? heads : 1, gap };
  });

function* pictures(rooms = [0, 592, 1400]) {
  for (let lanes = 1; lanes <= 8; lanes++)
    for (const heads of [1, 2, 4])
      for (let open = -1; open < 14; open++)
        for (const room of rooms) yield { lanes, heads, open, room, of: blocks(lanes, heads, open) };
}

// The same numbers at every run, from 0 to 1.
function* numbers(seed) {
  for (let x = seed; ; x = (x * 48271) % 2147483647) yield x / 2147483647;
}
const randomly = numbers(7);
const random = (low, high) => low + randomly.next().value * (high - low);
const whole = (low, high) => Math.floor(random(low, high + 1));

// A path as its pieces: [command, points], absolute, as the functions write it.
function pieces(path) {
  assert.match(path, /^M[-0-9.,e ]+([CLQ][-0-9.,e ]+)+Z?$/);
  return path.match(/[A-Z][^A-Z]*/g).map((piece) => {
    const points = piece.slice(1).trim().split(/\s+/).filter(Boolean).map((it) => it.split(",").map(Number));
    assert.ok(points.flat().every(Number.isFinite), path);
    assert.ok(points.every((point) => point.length === 2), path);
    assert.equal(points.length, { M: 1, L: 1, Q: 2, C: 3, Z: 0 }[piece[0]], path);
    return [piece[0], points];
  });
}
const points = (path) => pieces(path).flatMap(([, it]) => it);

const near = (a, b, tolerance = 1e-6) => Math.abs(a - b) < tolerance;
function assertNear(points, expected, path) {
  assert.deepEqual(points.length, expected.length, path);
  points.forEach((point, k) => point.forEach((x, i) => assert.ok(near(x, expected[k][i]), `${path}: ${points}`)));
}
const ends = (path) => [points(path)[0], points(path).at(-1)];

function assertInside(path, left, top, right, bottom) {
  for (const [x, y] of points(path))
    assert.ok(x >= left - 1e-6 && x <= right + 1e-6 && y >= top - 1e-6 && y <= bottom + 1e-6, path);
}

function assertFits({ of, lanes, room, bars = BARS }) {
  const placed = layout(of, lanes, room, bars);
  const { width, height, bottom, mini, gap: least, levels } = placed;
  assert.ok([width, height, bottom, ...placed.blocks.flatMap(({ x, width }) => [x, width])].every(Number.isFinite));
  assert.equal(placed.blocks.length, of.length);
  assert.ok(near(placed.blocks[0].x, START));
  const ends = placed.blocks.map(({ x, width }, k) => x + width + of[k].gap);
  const gaps = placed.blocks.slice(1).map(({ x }, k) => x - ends[k]);
  assert.ok(gaps.every((gap) => gap >= least - 1e-6 && near(gap, gaps[0])), `gaps ${gaps}`);
  of.forEach(({ columns, isOpen, cards }, k) => {
    const cells = columns.reduce((a, b) => a + b, 0) * (isOpen ? CELL : mini);
    assert.ok(placed.blocks[k].width >= cells + (cards - 1) * CARD, `block ${k} is too narrow`);
    if (isOpen && cells > 100) assert.ok(placed.blocks[k].width <= cells + 10 * columns.length + cards * CARD);
  });
  const right = placed.blocks.at(-1).x + placed.blocks.at(-1).width;
  assert.ok(width >= right + FAN - 1e-6, "the fan has its room");
  assert.ok(width >= room - 1e-6, `the picture is ${room - width} narrower than its room`);
  if (near(gaps[0], least)) assert.ok(near(width, right + FAN), "no room is taken that is not there");
  else assert.ok(near(width, room), "what room there is, is filled");

  assert.ok(near(bottom, TOP + lanes * LANE) && height >= bottom + levels * LEVEL + BOTTOM);
  for (let i = 0; i < lanes; i++) {
    assert.ok(laneAt(i) - LANE / 2 >= TOP && laneAt(i) + LANE / 2 <= bottom);
    assert.ok(near(laneAt(i + 1) - laneAt(i), LANE));
  }
  for (let i = 0; i < bars; i++) {
    assert.ok(barAt(i) - BAR / 2 >= 0 && barAt(i) + BAR / 2 <= height, `bar ${i} is outside`);
    assert.ok(near(barAt(i + 1) - barAt(i), BAR));
  }
  return placed;
}

test("blocks stand side by side, an open one is as wide as its matrix, and the room is filled", () => {
  for (const picture of pictures()) assertFits(picture);
});

test("so do blocks of any kind, in any room", () => {
  for (let k = 0; k < 500; k++) {
    const of = Array.from({ length: whole(2, 20) }, () => ({
      columns: Array.from({ length: whole(1, 3) }, () => whole(1, 12)),
      isOpen: random(0, 1) < 0.2,
      cards: whole(1, 4),
      gap: whole(0, 1) * random(0, 50),
    }));
    of.at(-1).gap = 0; // after the last one comes the fan
    assertFits({ of, lanes: whole(1, 8), room: random(0, 3000), bars: whole(1, 30) });
  }
});

test("sizes by hand", () => {
  const closed = { columns: [4], isOpen: false, cards: 1, gap: 0 };
  const open = { columns: [2, 3, 1], isOpen: true, cards: 1, gap: 10 };
  const three = [closed, open, { columns: [5], isOpen: false, cards: 4, gap: 0 }];
  const { blocks, width, height, bottom } = layout(three, 5, 0, 12);
  const widths = [4 * TIGHT.mini + 2 * PAD, 6 * CELL + 6 * PAD, 5 * TIGHT.mini + 2 * PAD + 3 * CARD];
  const second = START + widths[0] + TIGHT.gap;
  const third = second + widths[1] + TIGHT.gap + 10;
  assert.deepEqual(blocks, [START, second, third].map((x, k) => ({ x, width: widths[k] })));
  assert.deepEqual([width, height, bottom], [third + widths[2] + FAN, TOP + 5 * LANE + 2 * LEVEL + BOTTOM, TOP + 5 * LANE]);
  assert.deepEqual([laneAt(0), laneAt(4), barAt(0)], [TOP + LANE / 2, TOP + 4.5 * LANE, TOP - 2 * LANE + BAR / 2]);
  assert.equal(layout([{ ...closed, columns: [1] }, closed], 1, 0, 12).blocks[0].width, 22);
});

test("nothing moves but to the right when a block opens, and all returns when it closes", () => {
  for (let open = 0; open < 14; open++) {
    const [closed, opened] = [blocks(5, 2, -1), blocks(5, 2, open)].map((it) => layout(it, 5, 0, BARS));
    closed.blocks.forEach((block, k) => {
      const wider = opened.blocks[open].width - closed.blocks[open].width;
      assert.ok(wider > 0 && near(opened.blocks[k].x, block.x + (k > open ? wider : 0)));
      if (k !== open) assert.equal(opened.blocks[k].width, block.width);
    });
  }
});

test("what is closed has the same size whichever block is open, in any room, and is larger where there is more", () => {
  const sizes = [400, 800, 1000, 1050, 1100, 1200, 1600].map((room) => {
    const all = Array.from({ length: 15 }, (_, k) => layout(blocks(5, 2, k - 1), 5, room, BARS).mini);
    assert.equal(new Set(all).size, 1, `in ${room} pixels`);
    return all[0];
  });
  assert.deepEqual([sizes[0], sizes.at(-1)], [TIGHT.mini, ROOMY.mini]);
  assert.deepEqual(sizes, [...sizes].sort((a, b) => a - b));
});

test("in the room of a notebook on a small screen all of the closed path is seen", () => {
  assert.ok(near(layout(blocks(5, 2, -1), 5, 616, BARS).width, 616));
});

test("the arguments stay as they are", () => {
  const of = blocks(5, 2, 4);
  const before = JSON.stringify(of);
  const first = JSON.stringify(layout(of, 5, 900, BARS));
  assert.equal(JSON.stringify(layout(of, 5, 900, BARS)), first);
  assert.equal(JSON.stringify(of), before);
});

// ---- ribbons

function assertCurve(x0, y0, x1, y1) {
  const path = curve(x0, y0, x1, y1);
  const [from, c0, c1, to] = points(path);
  assertNear([from, to], [[x0, y0], [x1, y1]], path);
  assert.deepEqual(pieces(path).map(([it]) => it), ["M", "C"]);
  assert.ok(near(c0[1], y0) && near(c1[1], y1), "it leaves and arrives level");
  assertInside(path, Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1));
  if (x1 - x0 > 1) assert.ok(c0[0] > x0 && c1[0] < x1, "and not with a corner");
}

function assertBand(x0, y0, w0, x1, y1, w1) {
  const path = band(x0, y0, w0, x1, y1, w1);
  assert.deepEqual(pieces(path).map(([it]) => it), ["M", "C", "L", "C", "Z"]);
  const [a, c0, c1, b, c, c2, c3, d] = points(path);
  const corners = [[x0, y0 - w0 / 2], [x1, y1 - w1 / 2], [x1, y1 + w1 / 2], [x0, y0 + w0 / 2]];
  assertNear([a, b, c, d], corners, path);
  for (const [control, end] of [[c0, a], [c1, b], [c2, c], [c3, d]]) assert.ok(near(control[1], end[1]), path);
  const ys = corners.map(([, y]) => y);
  assertInside(path, x0, Math.min(...ys), x1, Math.max(...ys));
}

function assertArc(x0, x1, y, height) {
  const path = arc(x0, x1, y, height);
  assertNear(ends(path), [[x0, y], [x1, y]], path);
  assert.ok(near(Math.min(...points(path).map(([, y]) => y)), y - height), "it is as high as it is told");
  assertInside(path, x0, y - height, x1, y);
  const xs = points(path).map(([x]) => x);
  assert.deepEqual(xs, [...xs].sort((a, b) => a - b), "it never turns back");
  const [, [rise]] = pieces(path)[1];
  assert.ok(near(points(path)[1][0], x0) && near(points(path).at(-2)[0], x1) && rise.length === 2, "up, and down");
}

function assertOver(x0, y0, x1, y1) {
  const path = over(x0, y0, x1, y1);
  assertNear(ends(path), [[x0, y0], [x1, y1]], path);
  assert.ok(near(points(path)[1][1], y0), "it leaves level");
  const [[, level], [x, y]] = points(path).slice(-3);
  assert.ok(near(x, x1) && y < y1 && near(level, y), "from a level way it comes down into its column");
  const top = Math.min(...points(path).map(([, y]) => y));
  assertInside(path, x0, Math.max(0, top), x1, Math.max(y0, y1));
}

test("every ribbon of every picture starts and ends where it is told", () => {
  for (const picture of pictures([1000])) {
    const { lanes, open, of } = picture;
    const { blocks, width, mini } = layout(of, lanes, picture.room, BARS);
    const [left, right] = [(k) => blocks[k].x, (k) => blocks[k].x + blocks[k].width];
    for (const i of new Set([0, lanes - 1])) {
      const y = laneAt(i);
      assertCurve(0, y, left(0), y);
      if (i === 0) for (let k = 0; k < 13; k++) assertBand(right(k), y, 8, left(k + 1), y, 16);
      for (const j of [0, lanes - 1]) assertCurve(right(HEADS), laneAt(j), left(HEADS + 1), y);
      const column = left(HEADS) + PAD + (i + 0.5) * (open === HEADS ? CELL : mini);
      assert.ok(column < right(HEADS));
      assertOver(right(QKV), y, column, open === HEADS ? TOP - 26 : TOP);
    }
    for (const i of [0, BARS - 1]) assertCurve(right(13), laneAt(lanes - 1), width, barAt(i));
    const [x, h, y] = [1, 7, 11].map((k) => (left(k) + right(k)) / 2);
    assertArc(x, h, TOP - 4, 44);
    assertArc(h, y, TOP - 4, 30);
  }
});

test("so does any ribbon", () => {
  for (let k = 0; k < 300; k++) {
    const [x0, y0, dx, y1] = [random(0, 1000), random(50, 400), random(0, 600), random(50, 400)];
    assertCurve(x0, y0, x0 + dx, y1);
    assertBand(x0, y0, random(0, 20), x0 + dx, y1, random(0, 20));
    assertArc(x0, x0 + dx, y0, random(1, 50));
    assertOver(x0, y0 + 100, x0 + 30 + dx, y1 % 100 + 30);
  }
});
