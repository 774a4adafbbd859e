// Draws what neurons.py computed. No number is made here, and no word.

function render({ model, el }) {
  const controls = new Controls(model);
  controls.text("text");
  const showRows = controls.select("row", { lang: "pt" });
  const pick = ({ keys }, k, column) => send(model, { result: keys[k], column });
  const lines = make("div");
  const sum = new WrittenOut(model);

  const draw = (state) => {
    showRows(state.rows, state.row);
    lines.replaceChildren(...state.lines.map((grids) => new Grids(model, pick).draw(grids)));
    sum.draw(state.sum);
  };
  return mount({ model, el }, controls, [lines, sum.element], draw);
}

export default { render };
