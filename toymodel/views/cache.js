// Draws what cache.py computed. No number is made here, and no word.

function render({ model, el }) {
  const labels = model.get("labels");
  const controls = new Controls(model);
  controls.text("text");
  const { n_heads } = model.get("state");
  if (n_heads.length) controls.radios("n_heads", n_heads);
  const showHeads = controls.select("head");
  const showN = controls.slider("n", { min: 1, max: model.get("state").most, step: 1 });
  const sentence = make("p", { role: "status" });
  const changes = changesLine();
  const [counted, proof] = [make("p", {}, labels.counted), make("p")];
  const [tables, counts] = [new Grids(model), new Grids(model)];

  const draw = (state) => {
    showHeads(state.heads);
    showN(state.n, state.most);
    sentence.replaceChildren(...writeAll(state.sentence, labels));
    say(changes, state.changes);
    tables.draw(state.tables);
    counts.draw(state.counts);
    proof.textContent = state.proof;
  };
  return mount({ model, el }, controls, [sentence, changes, tables.element, counts.element, counted, proof], draw);
}

export default { render };
