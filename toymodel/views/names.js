// Draws what names.py computed, and asks for more steps while it runs. No number is made here, and no word.

function render({ model, el }) {
  const controls = new Controls(model);
  controls.lines("own", 3, 24);
  const showSeed = controls.slider("seed", { min: 0, max: 9, step: 1 });
  const slices = new Slices(model, controls, model.get("state").slice);
  const showTemperature = controls.slider("temperature", { min: 0, max: 2, step: 0.1 });
  const showDraws = controls.counter("draws");
  const [of, here] = [make("p"), make("p", { className: "tm-place" })];
  const changes = changesLine();
  const svg = makeSvg("svg", { role: "img", class: "tm-plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
  const tables = new Grids(model);

  const draw = (state) => {
    showSeed(state.seed);
    slices.draw(state);
    showTemperature(state.temperature);
    showDraws(state.draws);
    of.textContent = state.of;
    here.textContent = state.here;
    drawCurve(svg, state.curve);
    tables.draw(state.tables);
    say(changes, state.changes);
    slices.askOn(state);
  };
  const plot = make("div", { className: "tm-plotted" }, here, svg);
  const beside = make("div", { className: "tm-beside" }, plot, tables.element);
  return mount({ model, el }, controls, [slices.said, of, changes, beside], draw);
}

export default { render };
