// Draws what predictions.py computed. No number is made here, and no word.

let views = 0; // the radio buttons of a view share a name that no other view has

function render({ model, el }) {
  const labels = model.get("labels");
  const text = make("input", { type: "text", lang: "pt", spellcheck: false, autocomplete: "off" });
  text.addEventListener("keydown", ({ key }) => key === "Enter" && text.dispatchEvent(new Event("change")));
  const name = `tm-heads-${++views}`;
  const heads = model.get("state").heads.map((n) => make("input", { type: "radio", name, value: n }));
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
  const tables = make("div", { className: "tm-tables" });
  const changes = make("p", { className: "tm-changes", role: "status" });

  const draw = (state) => {
    tables.replaceChildren(...state.tables.map((grid) => drawGrid(grid, labels)));
    changes.textContent = state.changes;
    degrees.textContent = state.temperature;
    temperature.setAttribute("aria-valuetext", state.temperature);
    letScroll(tables.children);
  };
  const resized = new ResizeObserver(() => letScroll(tables.children));
  resized.observe(tables);
  releases.push(() => resized.disconnect());
  return mount({ model, el }, "tm-predictions", panel, [changes, tables], draw, releases);
}

export default { render };
