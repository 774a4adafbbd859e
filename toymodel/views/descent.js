// Draws what descent.py computed. No number is made here, and no word.

function render({ model, el }) {
  const begin = model.get("state");
  const controls = new Controls(model);
  controls.text("text");
  controls.among("target", begin.targets, { lang: "pt" });
  controls.radios("optimizer", begin.optimizers, begin.optimizer_names);
  const showRate = controls.scale("learning_rate", begin.rates);
  const showSteps = controls.slider("n_steps", { min: 1, max: begin.most, step: 1 });
  controls.among("key", begin.keys);
  const said = make("p", { role: "status" });
  const promise = make("p");
  const changes = changesLine();
  const tables = new Grids(model);
  const weight = new Grids(model, (grid, ...place) => send(model, { index: indexOf(grid, ...place) }));

  const draw = (state) => {
    showRate(state.rate);
    showSteps(state.steps);
    say(said, state.said);
    promise.textContent = state.promise;
    say(changes, state.changes);
    tables.draw(state.tables);
    weight.draw(state.weight);
  };
  return mount({ model, el }, controls, [said, promise, changes, tables.element, weight.element], draw);
}

export default { render };
