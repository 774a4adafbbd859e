// Standing bars and phases, as pure functions: run by test_layout.py with `node --test`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const script = (name) => readFileSync(new URL(`../../toymodel/views/shared/${name}.js`, import.meta.url), "utf8");
const { standing } = new Function(`${script("sizes")}; return { standing };`)();
const { phaseAfter } = new Function(`${script("phases")}; return { phaseAfter };`)();

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
const MANY = [[0.5, -1, 0.25], [1], [-1], [0.2, 0.4], [-0.3, -0.6], [0, 0], [0.001, -0.002]];

test("bars stand on one line or hang from it, in proportion, and fill their box", () => {
  for (const sizes of MANY) {
    const bars = sizes.map((size) => standing(size, sizes, 60));
    for (const [k, { line, y, height }] of bars.entries()) {
      near(line, bars[0].line);
      near(sizes[k] < 0 ? y : y + height, line);
      near(height * Math.abs(sizes[0]), bars[0].height * Math.abs(sizes[k]));
      assert.ok(y > -1e-9 && y + height < 60 + 1e-9);
    }
    const high = Math.max(...bars.map(({ y, height }) => y + height), bars[0].line) - Math.min(...bars.map(({ y }) => y));
    if (sizes.some(Boolean)) near(high, 60);
  }
});

test("a phase leads to the next one and back, and not beyond the last or the first", () => {
  const walk = [1, 1, 1, 1].reduce((phases, step) => [...phases, phaseAfter(phases.at(-1), step, 3)], [1]);
  assert.deepEqual(walk, [1, 2, 3, 3, 3]);
  assert.deepEqual([phaseAfter(3, -1, 3), phaseAfter(1, -1, 3), phaseAfter(2, 5, 7)], [2, 1, 7]);
});
