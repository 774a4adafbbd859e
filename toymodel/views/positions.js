// Draws what positions.py computed. No number is made here, and no word.

function render({ model, el }) {
  const { kinds } = model.get("state");
  const controls = new Controls(model);
  controls.text("text");
  controls.radios("kind", kinds.map(([kind]) => kind), kinds.map(([, words]) => words));
  const showPlaces = [controls.select("first", { lang: "pt" }), controls.select("second", { lang: "pt" })];
  const changes = changesLine();
  const [predictions, rows] = [new Grids(model), new Grids(model)];

  const draw = (state) => {
    showPlaces.forEach((show) => show(state.places));
    say(changes, state.changes);
    predictions.draw(state.predictions);
    rows.draw(state.rows);
  };
  return mount({ model, el }, controls, [changes, predictions.element, rows.element], draw);
}

export default { render };
