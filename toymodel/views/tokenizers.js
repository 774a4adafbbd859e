// Draws what tokenizers.py computed. No number is made here, and no word.

function render({ model, el }) {
  const labels = model.get("labels");
  const controls = new Controls(model);
  controls.text("text", "");
  const showMerges = controls.slider("merges", { min: 0, max: model.get("state").most, step: 1, className: "tm-long" });
  const changes = changesLine();
  const tables = new Grids(model);
  const ways = make("div");
  const drawn = ({ name, tokens, ids, note }) => [
    make("p", { className: "tm-title" }, name),
    tokens.length ? pieces(tokens, labels, { ids }) : "",
    note && make("p", {}, ...quoting(note)),
  ];

  const draw = (state) => {
    showMerges(state.merges);
    say(changes, state.changes);
    tables.draw(state.tables);
    ways.replaceChildren(...state.ways.flatMap(drawn));
  };
  return mount({ model, el }, controls, [tables.element, changes, ways], draw);
}

export default { render };
