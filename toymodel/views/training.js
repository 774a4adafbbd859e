// Draws what training.py computed, and asks for more steps while it runs. No number is made here, and no word.

function render({ model, el }) {
  const labels = model.get("labels");
  const begin = model.get("state");
  const controls = new Controls(model);
  controls.lines("texts", 3, 30);
  const showRate = controls.scale("learning_rate", begin.rates);
  controls.radios("optimizer", begin.optimizers, begin.optimizer_names);
  const showSeed = controls.slider("seed", { min: 0, max: 9, step: 1 });
  const run = press("", "run", () => send(model, { running: !model.get("state").running }));
  const again = press(labels.again, "again", () => send(model, { restarts: model.get("restarts") + 1, running: true }));
  const bar = make("progress", {});
  const progress = make("span", { className: "tm-degrees", "aria-hidden": "true" });
  controls.element.append(run, again, make("label", {}, labels.progress, bar, progress));
  const showStep = controls.slider("n", { min: 0, max: begin.trained, step: 1, className: "tm-long" });
  const said = make("p", { role: "status" });
  const [here, warning] = [make("p", { className: "tm-place" }), make("p")];
  const svg = makeSvg("svg", { role: "img", class: "tm-plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
  const tables = new Grids(model);

  const draw = (state) => {
    showRate(state.rate);
    showSeed(state.seed);
    showStep(state.step, state.trained);
    run.textContent = state.press;
    allow(run, state.full);
    bar.max = state.goal;
    bar.value = state.trained;
    progress.textContent = state.progress;
    say(said, state.said);
    here.textContent = state.here;
    warning.textContent = state.warning;
    drawCurve(svg, state.curve);
    tables.draw(state.tables);
    // By what Python has seen, never by what was sent: meanwhile the reader may have moved something else.
    if (state.running) send(model, { asked: state.asked + 1 });
  };
  const plot = make("div", { className: "tm-plotted" }, here, svg);
  const beside = make("div", { className: "tm-beside" }, plot, tables.element);
  return mount({ model, el }, controls, [said, warning, beside], draw);
}

export default { render };
