// Where ribbons leave and arrive, as pure functions of their shares: run by test_layout.py with `node --test`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const script = readFileSync(new URL("../../toymodel/views/shared/ribbons.js", import.meta.url), "utf8");
const { ribbonsIn, falling, PITCH, DEEP } = new Function(`${script}; return { ribbonsIn, falling, PITCH, DEEP };`)();

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
const CROSSING = [[0.94, 0.03, 0.03], [0.05, 0.08, 0.87], [0.1, 0.82, 0.08]];
const ALL_ON_ONE = Array(9).fill([0, 1]);
const UNEVEN = [[0.25, 0.25, 0.25, 0.25], [1, 0, 0, 0]];
const PICTURES = [[CROSSING, 848], [CROSSING, 332], [ALL_ON_ONE, 332], [ALL_ON_ONE, 1600], [UNEVEN, 0], [[[1]], 332]];

// The bands of one word, from left to right.
const at = (bands, axis, k) => bands.filter((it) => it[axis] === k);

test("each foot is one whole, in the middle of its word, and its ribbons lie side by side", () => {
  for (const [rows, room] of PICTURES) {
    const { width, bands } = ribbonsIn(rows, room);
    const pitch = width / rows.length;
    const foot = at(bands, "j", 0).reduce((sum, { size }) => sum + size, 0);
    rows.forEach((row, j) => {
      let x = (j + 0.5) * pitch - foot / 2;
      for (const band of at(bands, "j", j)) {
        near(band.x1, x);
        near(band.size, foot * row[band.i]);
        x += band.size;
      }
      near(x, (j + 0.5) * pitch + foot / 2);
      assert.ok(foot < pitch);
    });
  }
});

test("what leaves a word lies side by side in its middle, and never reaches the next word", () => {
  for (const [rows, room] of PICTURES) {
    const { width, bands } = ribbonsIn(rows, room);
    const pitch = width / rows[0].length;
    rows[0].forEach((_, i) => {
      const those = at(bands, "i", i);
      const head = those.reduce((sum, { size }) => sum + size, 0);
      let x = (i + 0.5) * pitch - head / 2;
      for (const band of those) {
        near(band.x0, x);
        x += band.size;
      }
      assert.ok(head <= pitch);
    });
  }
});

test("there is room for every word, and all room is taken", () => {
  for (const [rows, room] of PICTURES) {
    const { width } = ribbonsIn(rows, room);
    assert.ok(width >= room && width >= PITCH * Math.max(rows.length, rows[0].length));
    if (room >= PITCH * Math.max(rows.length, rows[0].length)) assert.equal(width, room);
  }
});

test("a band goes from the upper edge to the lower and back, equally wide at both", () => {
  const numbers = falling({ x0: 10, x1: 70, size: 20 }).match(/-?[\d.]+/g).map(Number);
  assert.deepEqual(numbers.slice(0, 2), [10, 0]);
  assert.deepEqual(numbers.slice(6, 10), [70, DEEP, 90, DEEP]);
  assert.deepEqual(numbers.slice(-2), [30, 0]);
});
