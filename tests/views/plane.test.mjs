// A plane of arrows, a line of scores and its strip, as pure functions: run by test_layout.py with `node --test`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const script = readFileSync(new URL("../../toymodel/views/shared/plane.js", import.meta.url), "utf8");
const names = "onPlane, fromPlane, onLine, named, SIDE, ROOM, LETTER";
const { onPlane, fromPlane, onLine, named, SIDE, ROOM, LETTER } = new Function(`${script}; return { ${names} };`)();

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
const mark = (name, score, weight) => [{ token: name }, score, weight];

test("what stands on the plane comes back from it, and nothing leaves it", () => {
  for (const point of [[0, 0], [1, -2], [-2, 2], [0.5, 0]]) {
    const [x, y] = onPlane(point, 2);
    fromPlane([x, y], 2).forEach((it, k) => near(it, point[k]));
    assert.ok(Math.min(x, y) >= ROOM && Math.max(x, y) <= SIDE - ROOM);
  }
  assert.ok(onPlane([0, 1], 2)[1] < onPlane([0, 0], 2)[1]); // up is up
});

test("scores keep their distances, and weights fill the strip side by side", () => {
  const placed = onLine([mark("a", -1, 0.1), mark("b", 0, 0.3), mark("c", 3, 0.6)], 250);
  near(placed[0].x, ROOM);
  near(placed[2].x, 250 - ROOM);
  near((placed[2].x - placed[1].x) / (placed[1].x - placed[0].x), 3);
  placed.forEach(({ left }, k) => near(left, placed.slice(0, k).reduce((sum, { width }) => sum + width, 0)));
  near(placed.reduce((sum, { width }) => sum + width, 0), 250);
  near(onLine([mark("a", 2, 1)], 250)[0].x, 125);
  onLine([mark("a", 2, 0.5), mark("b", 2, 0.5)], 250).forEach(({ x }) => near(x, 125));
});

test("texts that would meet stand together, and no two of what is left meet", () => {
  const marks = ["o", "␣no", "␣gato", "iu", "␣sub"].map((token, k) => ({ name: { token }, x: [10, 16, 90, 180, 200][k] }));
  const groups = named(marks);
  assert.deepEqual(groups.map(({ text }) => text), ["o ␣no", "␣gato", "iu ␣sub"]);
  for (const all of [marks, marks.map((it) => ({ ...it, x: 5 })), marks.map((it, k) => ({ ...it, x: 30 * k }))]) {
    const kept = named(all);
    assert.equal(kept.map(({ text }) => text).join(" "), marks.map(({ name }) => name.token).join(" "));
    kept.slice(1).forEach((it, k) => {
      assert.ok(it.x - kept[k].x >= ((it.text.length + kept[k].text.length) / 2 + 1) * LETTER);
    });
  }
});
