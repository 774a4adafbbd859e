// Draws what training.py computed, and asks for more steps while it runs. No number is made here, and no word.

function render({ model, el }) {
  const begin = model.get("state");
  const controls = new Controls(model);
  controls.lines("texts", 3, 30);
  const showRate = controls.scale("learning_rate", begin.rates);
  controls.radios("optimizer", begin.optimizers, begin.optimizer_names);
  const showSeed = controls.slider("seed", { min: 0, max: 9, step: 1 });
  const slices = new Slices(model, controls, 1);
  const [here, warning] = [make("p", { className: "tm-place" }), make("p")];
  const svg = makeSvg("svg", { role: "img", class: "tm-plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
  const tables = new Grids(model);

  const draw = (state) => {
    showRate(state.rate);
    showSeed(state.seed);
    slices.draw(state);
    here.textContent = state.here;
    warning.textContent = state.warning;
    drawCurve(svg, state.curve);
    tables.draw(state.tables);
    slices.askOn(state);
  };
  const plot = make("div", { className: "tm-plotted" }, here, svg);
  const beside = make("div", { className: "tm-beside" }, plot, tables.element);
  return mount({ model, el }, controls, [slices.said, warning, beside], draw);
}

export default { render };
