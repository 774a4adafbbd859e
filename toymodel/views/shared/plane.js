// A plane of arrows, and a line with a strip below it: where things stand, in pixels. Pure functions come first.

const SIDE = 250; // of the plane
const ROOM = 26; // around the arrows, for their names
const LINE = { high: 96, top: 26, strip: 62, thick: 24 }; // of the line of scores and the strip of weights

// From numbers to pixels: 0 in the middle, `most` at the edge, up is up.
function onPlane([x, y], most, side = SIDE) {
  const unit = (side / 2 - ROOM) / most;
  return [side / 2 + x * unit, side / 2 - y * unit];
}

// And back.
function fromPlane([px, py], most, side = SIDE) {
  const unit = (side / 2 - ROOM) / most;
  return [(px - side / 2) / unit, (side / 2 - py) / unit];
}

// Marks [name, score, weight], in the order of their scores, on a line `wide` across: where each stands, and its part
// of the strip, which is as wide as its weight.
function onLine(marks, wide) {
  const scores = marks.map(([, score]) => score);
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  const unit = most > least ? (wide - 2 * ROOM) / (most - least) : 0;
  let left = 0;
  return marks.map(([name, score, weight]) => {
    const mark = { name, x: unit ? ROOM + (score - least) * unit : wide / 2, left, width: weight * wide };
    left += mark.width;
    return mark;
  });
}

const LETTER = 7.5; // px: about the width of one

// Texts that would stand in each other's way become one: {text, x} for marks in the order of x.
function named(marks) {
  let groups = marks.map(({ name, x }) => ({ text: name.token, from: x, to: x }));
  const middle = ({ from, to }) => (from + to) / 2;
  const meet = (a, b) => middle(b) - middle(a) < ((a.text.length + b.text.length) / 2 + 1) * LETTER;
  for (let k = 0; k + 1 < groups.length; ) {
    const [a, b] = groups.slice(k, k + 2);
    if (meet(a, b)) groups.splice(k, 2, { text: `${a.text} ${b.text}`, from: a.from, to: b.to });
    k = meet(a, b) ? Math.max(0, k - 1) : k + 1;
  }
  return groups.map((group) => ({ text: group.text, x: middle(group) }));
}
