// Draws what ledger.py computed. No number is made here, and no word.

function render({ model, el }) {
  const controls = new Controls(model);
  controls.text("text");
  const showRows = controls.select("row", { lang: "pt" });
  const showParts = controls.checkboxes("off");
  const changes = changesLine();
  const best = make("p", { role: "status" });
  const tables = new Grids(model);

  const draw = (state) => {
    showRows(state.rows, state.row);
    showParts(state.parts);
    best.replaceChildren(...state.best.map((part) => write(part, model.get("labels"))));
    tables.draw(state.tables);
    say(changes, state.changes);
  };
  return mount({ model, el }, controls, [best, changes, tables.element], draw);
}

export default { render };
