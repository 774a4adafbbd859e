// Draws what translation.py computed, and asks for more steps while it runs. No number is made here, and no word.

function render({ model, el }) {
  const begin = model.get("state");
  const controls = new Controls(model);
  controls.text("text", "en");
  controls.examples("text", begin.examples_said, begin.examples, "en");
  controls.checkbox("weight_decay");
  const showSeed = controls.slider("seed", { min: 0, max: 9, step: 1 });
  const slices = new Slices(model, controls, begin.slice);
  controls.radios("part", begin.parts, begin.part_names);
  controls.radios("head", begin.heads);
  const sentence = make("p", { className: "tm-place", role: "status" });
  const reads = make("p", { role: "status" });
  const ribbons = new Ribbons(model, (word) => send(model, { word }));
  const changes = changesLine();
  const weights = new Grids(model, (_grid, word, key) => send(model, { word, key }));
  const sum = new WrittenOut(model);
  const next = new Grids(model);
  const svg = makeSvg("svg", { role: "img", class: "tm-plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}` });

  const draw = (state) => {
    showSeed(state.seed);
    slices.draw(state);
    sentence.replaceChildren(...writeAll(state.sentence, model.get("labels")));
    reads.replaceChildren(...writeAll(state.reads, model.get("labels")));
    ribbons.draw(state.ribbons);
    say(changes, state.changes);
    weights.draw([state.weights]);
    sum.draw(state.sum);
    next.draw(state.next);
    drawCurve(svg, state.curve);
    slices.askOn(state);
  };
  const picked = make("div", { className: "tm-beside" }, weights.element, sum.element);
  const plot = make("div", { className: "tm-beside" }, make("div", { className: "tm-plotted" }, svg), next.element);
  const parts = [slices.said, sentence, ribbons.element, reads, changes, picked, plot];
  return mount({ model, el }, controls, parts, draw, () => ribbons.isStale());
}

export default { render };
