// Draws what lens.py computed. No number is made here, and no word.

function render({ model, el }) {
  const labels = model.get("labels");
  const controls = new Controls(model);
  controls.text("text");
  const showRows = controls.select("row", { lang: "pt" });
  const sentence = make("p", { role: "status" });
  const changes = changesLine();
  const tables = new Grids(model);

  const draw = (state) => {
    showRows(state.rows, state.row);
    sentence.replaceChildren(...state.sentence.map((part) => write(part, labels)));
    tables.draw(state.tables);
    say(changes, state.changes);
  };
  return mount({ model, el }, controls, [sentence, changes, tables.element], draw);
}

export default { render };
