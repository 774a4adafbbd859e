// What all views share. It stands before each view's own file (see view.py), so its names need no import.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function aloud(words) {
  return make("span", { className: "tm-aloud" }, words);
}

// A word stays as it is. A token is Portuguese, and its ␣ is read aloud as a space.
function write(part, labels) {
  if (typeof part === "string") return part;
  const token = part.token;
  if (!token.startsWith("␣")) return make("span", { lang: "pt" }, token);
  const visible = make("span", { "aria-hidden": "true" }, "␣");
  return make("span", {}, aloud(`${labels.space} `), visible, make("span", { lang: "pt" }, token.slice(1)));
}

// ---- controls: labelled inputs, each tied to the trait whose name it bears

class Controls {
  constructor(model) {
    this.model = model;
    this.labels = model.get("labels");
    this.releases = [];
    this.element = make("div", { className: "tm-controls" });
  }

  // An input that sets its trait, and follows it when something else sets it.
  tie(trait, input, event, read, show) {
    const { model } = this;
    input.addEventListener(event, () => {
      model.set(trait, read());
      model.save_changes();
    });
    const follow = () => show(model.get(trait));
    model.on(`change:${trait}`, follow);
    this.releases.push(() => model.off(`change:${trait}`, follow));
    follow();
  }

  label(trait, ...inputs) {
    const label = make("label", {}, this.labels[trait], ...inputs);
    this.element.append(label);
    return label;
  }

  // JupyterLab swallows the change event of Enter: so it is sent here.
  typed(trait, input, isDone) {
    input.addEventListener("keydown", (pressed) => isDone(pressed) && input.dispatchEvent(new Event("change")));
    this.tie(trait, input, "change", () => input.value, (value) => (input.value = value));
    this.label(trait, input);
  }

  text(trait) {
    const input = make("input", { type: "text", lang: "pt", spellcheck: false, autocomplete: "off" });
    this.typed(trait, input, ({ key }) => key === "Enter");
  }

  // Several lines: there Enter begins another one.
  lines(trait, rows, cols) {
    const input = make("textarea", { rows, cols, spellcheck: false, autocomplete: "off" });
    this.typed(trait, input, ({ key, ctrlKey, metaKey }) => key === "Enter" && (ctrlKey || metaKey));
  }

  // `words` are what the options are called, where that is not what they are.
  radios(trait, options, words = options) {
    const name = `tm-${Math.random()}`; // what makes them one group, of all on the page
    const inputs = options.map((it) => make("input", { type: "radio", name, value: it }));
    const all = make("fieldset", {}, make("legend", {}, this.labels[trait]));
    inputs.forEach((input, k) => all.append(make("label", {}, input, String(words[k]))));
    const chosen = () => options[inputs.findIndex((input) => input.checked)];
    this.tie(trait, all, "change", chosen, (value) => inputs.forEach((it, k) => (it.checked = options[k] === value)));
    this.element.append(all);
  }

  checkbox(trait) {
    const input = make("input", { type: "checkbox" });
    this.tie(trait, input, "change", () => input.checked, (value) => (input.checked = value));
    this.label(trait).prepend(input);
  }

  // Returns what shows the value as text, beside the slider and to a screen reader.
  slider(trait, range) {
    const input = make("input", { type: "range", ...range });
    this.tie(trait, input, "input", () => Number(input.value), (value) => {
      input.max = Math.max(input.max, value); // a cell may have set more than the slider has
      input.value = value;
    });
    const beside = make("span", { className: "tm-degrees", "aria-hidden": "true" });
    this.element.append(make("span", {}, make("label", {}, this.labels[trait], input), beside));
    return (text) => {
      beside.textContent = text;
      input.setAttribute("aria-valuetext", text);
    };
  }

  // Returns what sets the options, tokens whose values count from 0.
  select(trait) {
    const input = make("select", {});
    const { model } = this;
    const show = () => (input.value = model.get(trait));
    this.tie(trait, input, "change", () => Number(input.value), show);
    this.label(trait, input);
    const option = (token, value) => {
      const spoken = `${value}: ${token.replace("␣", `${this.labels.space} `)}`;
      return make("option", { value, lang: "pt", "aria-label": spoken }, `${value}: ${token}`);
    };
    return (tokens) => {
      input.replaceChildren(...tokens.map(option));
      show();
    };
  }
}

// ---- grids: tables of numbers. In a pickable one a cell can be chosen, by mouse or with the arrow keys.

const FLAGS = ["changed", "used", "picked"]; // how a cell can stand out
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// Parts that scroll where they are too wide, whatever size the window takes.
class Resizing {
  constructor(element) {
    this.element = element;
    this.resized = new ResizeObserver(() => letScroll(element));
    this.resized.observe(element);
  }

  show(...parts) {
    this.element.replaceChildren(...parts);
    letScroll(this.element);
  }

  release() {
    this.resized.disconnect();
  }
}

class Grids extends Resizing {
  constructor(model, pick) {
    super(make("div", { className: "tm-tables" }));
    this.labels = model.get("labels");
    this.pick = pick;
  }

  // What is drawn: grids, and signs between them.
  draw(parts) {
    const sign = (text) => make("span", { className: "tm-sign" }, text);
    this.show(...parts.map((it) => (typeof it === "string" ? sign(it) : this.grid(it))));
  }

  grid(grid) {
    const { labels } = this;
    const { caption, columns, rows } = grid;
    const parts = caption.flatMap((part) => [write(part, labels), " "]);
    const isLeft = (k) => k === 0 || typeof rows[0].cells[k - 1] !== "string";
    const head = columns.map((part, k) =>
      part === "" ? make("td", {}) : make("th", { scope: "col", className: isLeft(k) ? "tm-left" : "" }, write(part, labels)),
    );
    const body = rows.map((row) => {
      const cells = row.cells.map((it, k) => this.cell(it, FLAGS.filter((flag) => row[flag]?.includes(k)), grid.full));
      return make("tr", { className: row.chosen ? "tm-chosen" : "" }, make("th", { scope: "row" }, write(row.label, labels)), ...cells);
    });
    const table = make(
      "table", {},
      make("caption", {}, ...parts), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body),
    );
    if (grid.pickable) this.makePickable(table, grid);
    return make("div", { className: "tm-scroll", "data-grid": grid.name }, table);
  }

  cell(content, flags, full) {
    const td = make("td", { className: flags.map((flag) => `tm-${flag}`).join(" ") });
    if (typeof content !== "string") {
      td.classList.add("tm-left");
      td.append(write(content, this.labels));
    } else if (content) {
      const size = Math.abs(Number(content)); // "-inf" is no number to JavaScript, and stays unshaded
      td.append(make("span", { className: `tm-number${content.startsWith("-") ? " tm-below" : ""}` }, content));
      td.style.setProperty("--share", (full && size / full) || 0);
    }
    if (flags.includes("changed")) td.append(aloud(` ${this.labels.changed}`));
    return td;
  }

  // The Tab key leads to one cell of the grid, the arrow keys to the others.
  makePickable(table, grid) {
    const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1));
    const cells = rows.flat();
    const first = cells.find((td) => td.classList.contains("tm-picked")) ?? cells[0];
    table.setAttribute("role", "grid");
    for (const td of cells) {
      td.tabIndex = td === first ? 0 : -1;
      td.setAttribute("aria-selected", td.classList.contains("tm-picked"));
      td.dataset.lmSuppressShortcuts = "true";
    }
    const choose = (i, j) => {
      rows[i][j].focus();
      const { key, index } = grid.at;
      this.pick(key, index.map((it) => ({ row: i, column: j })[it] ?? it));
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
      const [i, j] = placeOf(event);
      const last = [rows.length - 1, rows[0].length - 1];
      const goal = { Home: [i, 0], End: [i, last[1]], Enter: [i, j], " ": [i, j] }[event.key];
      const step = STEPS[event.key];
      if (!goal && !step) return;
      event.preventDefault();
      const [y, x] = goal ?? [i + step[0], j + step[1]];
      choose(Math.max(0, Math.min(y, last[0])), Math.max(0, Math.min(x, last[1])));
    });
  }
}

// What is too wide for its place scrolls by itself: then the keyboard must be able to reach it, under a name.
function letScroll(parts) {
  for (const box of parts.querySelectorAll(".tm-scroll")) {
    const scrolls = box.scrollWidth > box.clientWidth;
    const name = (box.querySelector("caption") ?? box.previousElementSibling).textContent.trim();
    for (const [attribute, value] of [["role", "region"], ["aria-label", name], ["tabindex", "0"]])
      if (scrolls) box.setAttribute(attribute, value);
      else box.removeAttribute(attribute);
  }
}

// A written-out sum: where it stands, its lines, and a note.
class WrittenOut extends Resizing {
  constructor() {
    super(make("div", { className: "tm-sum", role: "status" }));
  }

  draw({ place, math, note }) {
    const lines = make("div", { className: "tm-scroll" });
    lines.innerHTML = math; // MathML of our own: notation.py writes nothing that a reader typed
    this.show(make("p", { className: "tm-place" }, place), lines, make("p", {}, note));
  }
}

// ---- a view as a whole

// What has the focus in a grid, and how to give the focus back to that place when the grid has been drawn anew.
function focusIn(el) {
  const td = el.getRootNode().activeElement?.closest?.("td");
  if (!td || !el.contains(td)) return () => {};
  const name = td.closest("[data-grid]").dataset.grid;
  const [row, column] = [td.parentElement.rowIndex, td.cellIndex];
  return () => {
    const table = [...el.querySelectorAll("[data-grid]")].find((it) => it.dataset.grid === name)?.firstChild;
    (table?.rows[row]?.cells[column] ?? table?.querySelector("[aria-selected=true]"))?.focus();
  };
}

// Put a view together: its controls, the place for a problem, what it draws. Returns how to take it down again.
function mount({ model, el }, name, controls, parts, draw, releases = []) {
  const problem = make("p", { className: "tm-problem", role: "alert" });
  el.classList.add("tm-view", name);
  el.append(controls.element, problem, ...parts);
  // JupyterLab would take the arrow keys away: it looks for this attribute on the very element that has the focus.
  for (const input of controls.element.querySelectorAll("input, textarea, select"))
    input.dataset.lmSuppressShortcuts = "true";

  const redraw = () => {
    const giveBack = focusIn(el);
    draw(model.get("state"));
    giveBack();
  };
  // What stands between backticks is what the reader typed, or could type.
  const quoted = (part, k) => (k % 2 ? make("code", {}, part) : part);
  const complain = () => problem.replaceChildren(...model.get("problem").split("`").map(quoted));
  model.on("change:state", redraw);
  model.on("change:problem", complain);
  redraw();
  complain();
  return () => {
    [...controls.releases, ...releases].forEach((release) => release());
    model.off("change:state", redraw);
    model.off("change:problem", complain);
  };
}
