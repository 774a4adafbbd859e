// Draws what predictions.py computed. No number is made here, and no word.

let views = 0; // the radio buttons of a view share a name that no other view has

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

function drawCell(cell, labels) {
  const td = make("td", { className: cell.changed ? "tm-changed" : "" });
  if (cell.token) td.append(write(cell, labels));
  if (cell.number) {
    td.append(make("span", { className: "tm-number" }, cell.number));
    td.style.setProperty("--share", cell.share);
  }
  if (cell.changed) td.append(aloud(` ${labels.changed}`));
  return td;
}

function drawTable({ caption, columns, rows }, labels) {
  const parts = caption.flatMap((part) => [write(part, labels), " "]);
  const head = columns.map((part) => make("th", { scope: "col" }, write(part, labels)));
  const body = rows.map(({ label, cells }) =>
    make("tr", {}, make("th", { scope: "row" }, write(label, labels)), ...cells.map((cell) => drawCell(cell, labels))),
  );
  const table = make(
    "table", {},
    make("caption", {}, ...parts), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body),
  );
  return make("div", { className: "tm-scroll", "data-name": caption[0] }, table);
}

// A table too wide for its place scrolls by itself: then the keyboard must be able to reach it, under a name.
function letScroll(boxes) {
  for (const box of boxes) {
    if (box.scrollWidth <= box.clientWidth) continue;
    for (const [name, value] of [["role", "region"], ["aria-label", box.dataset.name], ["tabindex", "0"]])
      box.setAttribute(name, value);
  }
}

// An input that sets a trait of the model, and follows it when something else sets it; returns how to undo that.
function connect(model, trait, input, event, read, show) {
  input.addEventListener(event, () => {
    model.set(trait, read());
    model.save_changes();
  });
  const follow = () => show(model.get(trait));
  model.on(`change:${trait}`, follow);
  follow();
  return () => model.off(`change:${trait}`, follow);
}

function controls(model, labels) {
  const name = `tm-heads-${++views}`;
  const text = make("input", { type: "text", lang: "pt", spellcheck: false, autocomplete: "off" });
  text.addEventListener("keydown", ({ key }) => key === "Enter" && text.dispatchEvent(new Event("change")));
  const heads = [1, 2, 4].map((n) => make("input", { type: "radio", name, value: n }));
  const radios = make("fieldset", {}, make("legend", {}, labels.n_heads));
  heads.forEach((input) => radios.append(make("label", {}, input, input.value)));
  const mask = make("input", { type: "checkbox" });
  const temperature = make("input", { type: "range", min: 0, max: 3, step: 0.1 });
  const degrees = make("span", { className: "tm-degrees", "aria-hidden": "true" });

  const releases = [
    connect(model, "text", text, "change", () => text.value, (value) => (text.value = value)),
    connect(model, "causal", mask, "change", () => mask.checked, (value) => (mask.checked = value)),
    connect(
      model, "n_heads", radios, "change",
      () => Number(heads.find((input) => input.checked).value),
      (value) => heads.forEach((input) => (input.checked = Number(input.value) === value)),
    ),
    connect(model, "temperature", temperature, "input", () => Number(temperature.value), (value) => {
      temperature.max = Math.max(temperature.max, value); // a cell may have set more than the slider has
      temperature.value = value;
    }),
  ];
  const panel = make(
    "div", { className: "tm-controls" },
    make("label", {}, labels.text, text),
    radios,
    make("label", {}, mask, labels.causal),
    make("span", {}, make("label", {}, labels.temperature, temperature), degrees),
  );
  // JupyterLab would take the arrow keys away: it looks for this attribute on the very element that has the focus.
  for (const input of panel.querySelectorAll("input")) input.dataset.lmSuppressShortcuts = "true";
  const showTemperature = (text) => {
    degrees.textContent = text;
    temperature.setAttribute("aria-valuetext", text);
  };
  return { panel, showTemperature, release: () => releases.forEach((undo) => undo()) };
}

function render({ model, el }) {
  const labels = model.get("labels");
  const { panel, showTemperature, release } = controls(model, labels);
  const problem = make("p", { className: "tm-problem", role: "alert" });
  const tables = make("div", { className: "tm-tables" });
  const changes = make("p", { className: "tm-changes", role: "status" });
  el.classList.add("tm-predictions");
  el.append(panel, problem, tables, changes);

  const draw = () => {
    const state = model.get("state");
    tables.replaceChildren(...state.tables.map((table) => drawTable(table, labels)));
    changes.textContent = state.changes;
    showTemperature(state.temperature);
    requestAnimationFrame(() => letScroll(tables.children));
  };
  const complain = () => (problem.textContent = model.get("problem"));
  model.on("change:state", draw);
  model.on("change:problem", complain);
  draw();
  complain();
  return () => {
    release();
    model.off("change:state", draw);
    model.off("change:problem", complain);
  };
}

export default { render };
