// Draws what formula.py computed. No number is made here, and no word.

function render({ model, el }) {
  const labels = model.get("labels");
  const { steps } = model.get("state");
  const controls = new Controls(model);
  for (const name of ["X", "W_Q", "W_K", "W_V"]) controls.lines(name, 4, 9);
  controls.checkbox("causal");
  controls.element.append(make("p", { className: "tm-help" }, labels.help));
  controls.radios("step", steps.map((_, k) => k + 1), steps);
  const formula = make("p", { className: "tm-formula" });
  const gloss = make("p", {});
  const lines = make("div", {});
  const sum = new WrittenOut();
  const pick = (result, [row, column = 0]) => {
    model.set({ result, row, column });
    model.save_changes();
  };
  let drawn = [];
  const releaseLines = () => drawn.forEach((grids) => grids.release());

  const draw = (state) => {
    formula.replaceChildren(...state.formula.map(([text, isNow]) => make(isNow ? "strong" : "span", {}, text)));
    gloss.textContent = state.gloss;
    releaseLines();
    drawn = state.lines.map(() => new Grids(model, pick));
    lines.replaceChildren(...drawn.map((grids) => grids.element));
    drawn.forEach((grids, k) => grids.draw(state.lines[k]));
    sum.draw(state.sum);
  };
  return mount({ model, el }, "tm-formula-view", controls, [formula, gloss, lines, sum.element], draw, [releaseLines, () => sum.release()]);
}

export default { render };
