// Draws what formula.py computed. No number is made here, and no word.

function render({ model, el }) {
  const labels = model.get("labels");
  const { matrices, steps } = model.get("state");
  const controls = new Controls(model);
  controls.fold(labels.matrices, true, () => matrices.forEach((name) => controls.lines(name, 4, 9)));
  controls.checkbox("causal");
  controls.radios("step", steps.map((_, k) => k + 1), steps);
  const formula = make("p", { className: "tm-formula" });
  const gloss = make("p");
  const lines = make("div");
  const sum = new WrittenOut(model);
  // Of Kᵀ, the place in the transposed matrix is remembered: as it is drawn.
  const pick = ({ key, transposed }, i, j) => {
    const [row, column] = transposed ? [j, i] : [i, j];
    send(model, { result: key, row, column });
  };

  const draw = (state) => {
    formula.replaceChildren(...state.formula.map(([text, isNow]) => make(isNow ? "strong" : "span", {}, text)));
    gloss.textContent = state.gloss;
    lines.replaceChildren(...state.lines.map((parts) => new Grids(model, pick).draw(parts)));
    sum.draw(state.sum);
  };
  const beside = make("div", { className: "tm-beside" }, lines, sum.element);
  return mount({ model, el }, controls, [formula, gloss, beside], draw);
}

export default { render };
