// Draws what ledger.py computed. No number is made here, and no word.

function render({ model, el }) {
  const controls = new Controls(model);
  controls.text("text");
  const showRows = controls.select("row", { lang: "pt" });
  const showParts = controls.checkboxes("off");
  const changes = make("p", { className: "tm-changes", role: "status" });
  const tables = new Grids(model);

  const draw = (state) => {
    showRows(state.rows);
    showParts(state.parts);
    tables.draw(state.tables);
    say(changes, state.changes);
  };
  return mount({ model, el }, controls, [changes, tables.element], draw);
}

export default { render };
