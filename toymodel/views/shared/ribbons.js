// Ribbons from what is read, above, to what reads it, below: each as wide as its share. Pure functions, in pixels, come
// first. Each foot is one whole, so all feet are equally wide; heads need not be.

const PITCH = 64; // the least room for a word
const DEEP = 130; // from the words above to those below
const FOOT = 0.6; // of the room for a word

// rows: for each word below its shares, one for each word above. Returns the width, and all bands: where they leave and
// arrive, and how wide they are.
function ribbonsIn(rows, room) {
  const [above, below] = [rows[0].length, rows.length];
  const width = Math.max(room, PITCH * Math.max(above, below));
  const [pitchAbove, pitchBelow] = [width / above, width / below];
  const heads = rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0));
  const foot = Math.min(FOOT * pitchBelow, (0.94 * pitchAbove) / Math.max(...heads, 1), 90);
  const tops = heads.map((head, i) => (i + 0.5) * pitchAbove - (head * foot) / 2);
  const bands = rows.flatMap((row, j) => {
    let x1 = (j + 0.5) * pitchBelow - (row.reduce((sum, share) => sum + share, 0) * foot) / 2;
    return row.map((share, i) => {
      const band = { i, j, x0: tops[i], x1, size: share * foot };
      tops[i] += band.size;
      x1 += band.size;
      return band;
    });
  });
  return { width, bands };
}

// A band that leaves and arrives upright.
function falling({ x0, x1, size }) {
  const half = DEEP / 2;
  return (
    `M${x0},0 C${x0},${half} ${x1},${half} ${x1},${DEEP} ` +
    `L${x1 + size},${DEEP} C${x1 + size},${half} ${x0 + size},${half} ${x0 + size},0 Z`
  );
}

class Ribbons {
  // `pick(j)` is called with the word below that was chosen.
  constructor(model, pick) {
    this.labels = model.get("labels");
    this.pick = pick;
    this.svg = makeSvg("svg", { "aria-hidden": "true" });
    [this.above, this.below] = [make("div", { className: "tm-wordrow" }), make("div", { className: "tm-wordrow" })];
    this.inside = make("div", { className: "tm-ribbons" }, this.above, this.svg, this.below);
    this.element = make("div", { className: "tm-scroll", "data-focus": "ribbons" }, this.inside);
  }

  get room() {
    return this.element.clientWidth;
  }

  draw({ name, above, below, rows, picked }) {
    const { width, bands } = ribbonsIn(rows, this.room);
    this.drawnFor = this.room;
    this.element.dataset.name = name;
    this.inside.style.width = `${width}px`;
    for (const [attribute, value] of [["width", width], ["height", DEEP]]) this.svg.setAttribute(attribute, value);
    const path = (band) => {
      const of = `tm-band tm-of-${band.i % 6}${band.j === picked ? " tm-front" : ""}`;
      return makeSvg("path", { d: falling(band), class: of });
    };
    const inFront = [...bands].sort((a, b) => (a.j === picked) - (b.j === picked));
    this.svg.replaceChildren(...inFront.map(path));
    const rule = (i) => make("span", { className: `tm-rule-of tm-of-${i % 6}` });
    this.above.replaceChildren(...above.map((it, i) => make("span", {}, write(it, this.labels), rule(i))));
    this.below.replaceChildren(...below.map(([word, note], j) => this.foot(word, note, j, picked)));
  }

  foot(word, note, j, picked) {
    const words = [write(word, this.labels), make("span", { className: "tm-note" }, note)];
    const button = press(words, `word ${j}`, () => this.pick(j));
    button.setAttribute("aria-pressed", j === picked);
    return button;
  }

  isStale() {
    return this.room !== this.drawnFor;
  }
}
