// Draws what sampling.py computed. No number is made here, and no word.

function render({ model, el }) {
  const labels = model.get("labels");
  const { draws } = model.get("state");
  const controls = new Controls(model);
  const showChoosing = choosing(controls);
  controls.radios("n", draws.map(([n]) => n), draws.map(([, words]) => words));
  const showSeed = controls.counter("seed");
  const sentence = make("p", { role: "status" });
  const changes = changesLine();
  const tables = new Bars(model);

  const draw = (state) => {
    showChoosing(state);
    showSeed(state.seed);
    sentence.replaceChildren(...writeAll(state.sentence, labels));
    tables.draw(state.tables);
    say(changes, state.changes);
  };
  return mount({ model, el }, controls, [sentence, changes, tables.element], draw);
}

export default { render };
