// Draws what predictions.py computed. No number is made here, and no word.

function render({ model, el }) {
  const controls = new Controls(model);
  controls.text("text");
  const { heads, masks } = model.get("state");
  if (heads.length) controls.radios("n_heads", heads);
  if (masks) controls.checkbox("causal");
  const showTemperature = controls.slider("temperature", { min: 0, max: 3, step: 0.1 });
  const changes = changesLine();
  const tables = new Grids(model);

  const draw = (state) => {
    tables.draw(state.tables);
    say(changes, state.changes);
    showTemperature(state.temperature);
  };
  return mount({ model, el }, controls, [changes, tables.element], draw);
}

export default { render };
