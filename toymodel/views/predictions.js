// Draws what predictions.py computed. No number is made here.

let views = 0; // radio buttons of one view share a name that no other view has

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// A token is Portuguese, and its ␣ is read aloud as "space".
function words(text) {
  if (!text.startsWith("␣")) return make("span", { lang: "pt" }, text);
  const space = make("span", { className: "tm-aloud", lang: "en" }, "space ");
  return make("span", { lang: "pt" }, space, make("span", { "aria-hidden": "true" }, "␣"), text.slice(1));
}

function drawCell({ text, share, changed }) {
  const cell = make("td", { className: changed ? "tm-changed" : "" });
  if (share === undefined) cell.append(words(text));
  else {
    cell.append(make("span", { className: "tm-number" }, text));
    cell.style.setProperty("--share", share);
  }
  if (changed) cell.append(make("span", { className: "tm-aloud" }, " changed"));
  return cell;
}

function drawTable({ caption, columns, rows }) {
  const head = make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, words(name))));
  const body = rows.map((row) =>
    make("tr", {}, make("th", { scope: "row" }, words(row.label)), ...row.cells.map(drawCell)),
  );
  const table = make("table", {}, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", { className: "tm-scroll" }, table); // where it is too wide, it scrolls by itself
}

// A labelled control that sets a trait of the model, and follows it when something else sets it.
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

function controls(model) {
  const name = `tm-heads-${++views}`;
  const text = make("input", { type: "text", lang: "pt", spellcheck: false, autocomplete: "off" });
  text.addEventListener("keydown", ({ key }) => key === "Enter" && text.dispatchEvent(new Event("change")));
  const heads = [1, 2, 4].map((n) => make("input", { type: "radio", name, value: n }));
  const radios = make("fieldset", {}, make("legend", {}, "Heads"));
  heads.forEach((input) => radios.append(make("label", {}, input, input.value)));
  const mask = make("input", { type: "checkbox" });
  const temperature = make("input", { type: "range", min: 0, max: 3, step: 0.1 });
  const degrees = make("output");

  const release = [
    connect(model, "text", text, "change", () => text.value, (value) => (text.value = value)),
    connect(model, "causal", mask, "change", () => mask.checked, (value) => (mask.checked = value)),
    connect(
      model, "n_heads", radios, "change",
      () => Number(heads.find((input) => input.checked).value),
      (value) => heads.forEach((input) => (input.checked = Number(input.value) === value)),
    ),
    connect(model, "temperature", temperature, "input", () => Number(temperature.value), (value) => {
      temperature.max = Math.max(3, value);
      temperature.value = value;
      degrees.value = value.toFixed(1);
    }),
  ];
  const panel = make(
    "div", { className: "tm-controls" },
    make("label", {}, "Sentence", text),
    radios,
    make("label", {}, mask, "Causal mask"),
    make("label", {}, "Temperature", temperature, degrees),
  );
  // or JupyterLab takes the arrow keys away: it looks for this attribute on the very element that has the focus
  for (const input of panel.querySelectorAll("input")) input.dataset.lmSuppressShortcuts = "true";
  return [panel, () => release.forEach((stop) => stop())];
}

function render({ model, el }) {
  const [panel, release] = controls(model);
  const problem = make("p", { className: "tm-problem", role: "alert" });
  const tables = make("div", { className: "tm-tables" });
  const changes = make("p", { className: "tm-changes", role: "status" });
  el.classList.add("tm-predictions");
  el.append(panel, problem, tables, changes);

  const draw = () => {
    const state = model.get("state");
    tables.replaceChildren(...state.tables.map(drawTable));
    changes.textContent = state.changes;
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
