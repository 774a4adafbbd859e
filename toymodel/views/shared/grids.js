// Tables of numbers, and a number written out. In a pickable table, mouse or arrow keys choose a cell.

const FLAGS = ["changed", "used", "picked", "likeliest"]; // how a cell can stand out
const MANY = 10; // columns: more stand closer together
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

class Grids {
  // `pick(grid, row, column)` is called with the cell that was chosen.
  constructor(model, pick) {
    this.labels = model.get("labels");
    this.pick = pick;
    this.element = make("div", { className: "tm-tables" });
  }

  // What is drawn: grids, and signs between them. Returns the element.
  draw(parts) {
    const sign = (text) => make("span", { className: "tm-sign" }, text);
    this.element.replaceChildren(...parts.map((it) => (typeof it === "string" ? sign(it) : this.grid(it))));
    return this.element;
  }

  grid(grid) {
    const { labels } = this;
    const caption = make("span", {}, ...writeAll(grid.caption, labels));
    const table = make(
      "table", { className: grid.columns.length > MANY ? "tm-dense" : "" },
      make("caption", {}, caption), make("thead", {}, this.head(grid)), make("tbody", {}, ...this.rows(grid)),
    );
    if (grid.pickable) this.makePickable(table, grid);
    const name = grid.caption.map((part) => spoken(part, labels)).join(" ");
    return make("div", { className: "tm-scroll", "data-name": name, "data-focus": `grid ${grid.name}` }, table);
  }

  head({ columns, rows }) {
    const isLeft = (k) => k === 0 || !isNumber(rows[0].cells[k - 1]);
    const column = (part, k) => {
      if (part === "") return make("td");
      return make("th", { scope: "col", className: isLeft(k) ? "tm-left" : "" }, write(part, this.labels));
    };
    return make("tr", {}, ...columns.map(column));
  }

  rows({ rows, full }) {
    return rows.map((row) => {
      const label = make("th", { scope: "row" }, ...writeAll([row.label].flat(), this.labels));
      const flags = (k) => FLAGS.filter((flag) => row[flag]?.includes(k));
      const cells = row.cells.map((content, k) => this.cell(content, flags(k), full, row.exact?.[k]));
      return make("tr", { className: row.chosen ? "tm-chosen" : "" }, label, ...cells);
    });
  }

  cell(content, flags, full, exact = "") {
    const td = make("td", { className: flags.map((flag) => `tm-${flag}`).join(" "), title: exact });
    if (!isNumber(content)) {
      if (!content.sign) td.classList.add("tm-left"); // a sign stands where a number would
      td.append(write(content, this.labels));
    } else if (content) {
      td.append(make("span", { className: `tm-number${content.startsWith("-") ? " tm-below" : ""}` }, content));
      td.style.setProperty("--share", share(content, full));
    }
    for (const flag of flags) td.append(aloud(` ${this.labels[flag]}`));
    return td;
  }

  // The Tab key leads to one cell of the grid, the arrow keys to the others.
  makePickable(table, grid) {
    const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1));
    const cells = rows.flat();
    const first = cells.find((td) => td.classList.contains("tm-picked")) ?? cells[0];
    table.setAttribute("role", "grid");
    table.setAttribute("aria-description", this.labels.arrows);
    for (const td of cells) {
      td.tabIndex = td === first ? 0 : -1;
      td.setAttribute("aria-selected", td.classList.contains("tm-picked"));
    }
    const choose = (i, j) => {
      rows[i][j].focus();
      const [row, column] = grid.transposed ? [j, i] : [i, j];
      this.pick(grid, row, column + (grid.first ?? 0));
    };
    const placeOf = ({ target }) => {
      const td = target.closest("td");
      return [rows.findIndex((row) => row.includes(td)), td?.cellIndex - 1];
    };
    table.addEventListener("click", (event) => {
      const [i, j] = placeOf(event);
      if (i >= 0) choose(i, j);
    });
    table.addEventListener("keydown", (event) => {
      if (!isAlone(event)) return;
      const [i, j] = placeOf(event);
      const last = [rows.length - 1, rows[0].length - 1];
      const goal = { Home: [i, 0], End: [i, last[1]], Enter: [i, j], " ": [i, j] }[event.key];
      const step = ARROWS[event.key];
      if (i < 0 || (!goal && !step)) return;
      event.preventDefault();
      const [y, x] = goal ?? [i + step[0], j + step[1]];
      choose(Math.max(0, Math.min(y, last[0])), Math.max(0, Math.min(x, last[1])));
    });
  }
}

// A cell that is no token and no word. (An empty one stands in the place of a number.)
function isNumber(content) {
  return typeof content === "string" && /^(-?(\d|inf).*)?$/.test(content);
}

// How strongly a number is shaded, from 0 to 1. ("-inf" is no number to JavaScript, and stays unshaded.)
function share(text, full) {
  return (full && Math.min(1, Math.abs(Number(text)) / full)) || 0;
}

// Which element of its step a cell of a grid is, as it was picked: head first, where there are heads.
function indexOf({ head, axes }, ...place) {
  const index = place.slice(0, axes);
  return head === null ? index : [head, ...index];
}

// Numbers to walk on to, each a button; nothing where there are none.
function ways(words, texts, name, go) {
  if (!texts.length) return [];
  return [make("p", {}, `${words}: `, ...texts.map((text, k) => press(text, `ways ${name} ${k}`, () => go(k))))];
}

// MathML of our own: notation.py writes nothing that a reader typed.
function formula(mathml) {
  const box = make("span");
  box.innerHTML = `<math>${mathml}</math>`;
  return box.firstChild;
}

// A written-out sum: where it stands, which is also said aloud, its lines, and a note. A line breaks between its parts.
class WrittenOut {
  constructor(model) {
    this.labels = model.get("labels");
    this.place = make("p", { className: "tm-place", role: "status" });
    this.lines = make("div", { className: "tm-scroll tm-lines", "data-focus": "lines" });
    this.note = make("p");
    this.element = make("div", { className: "tm-sum" }, this.place, this.lines, this.note);
  }

  draw({ place, math, note }) {
    this.place.replaceChildren(...writeAll(place, this.labels));
    this.lines.dataset.name = place.map((part) => spoken(part, this.labels)).join(" ");
    const [name, lines] = math;
    const rows = lines.map((parts, k) => [
      k ? make("span") : formula(name),
      formula("<mo>=</mo>"),
      make("span", {}, ...parts.flatMap((part) => [formula(part), " "])),
    ]);
    this.lines.replaceChildren(...rows.flat());
    this.note.replaceChildren(...quoting(note));
  }
}
