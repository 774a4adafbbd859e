// Draws what merges.py computed. No number is made here, and no word.

function render({ model, el }) {
  const labels = model.get("labels");
  const controls = new Controls(model);
  controls.fold(labels.help, false, () => controls.lines("corpus", 8, 50));
  const showMerge = controls.slider("merge", { min: 0, max: model.get("state").most, step: 1, className: "tm-long" });
  const sentence = make("p", { role: "status" });
  const totals = make("p");
  const tables = new Grids(model);
  const corpus = make("ul", { className: "tm-corpus" });

  const draw = (state) => {
    showMerge(state.merge, state.most);
    sentence.replaceChildren(...writeAll(state.sentence, labels));
    totals.textContent = state.totals;
    tables.draw(state.tables);
    const word = ([tokens, count]) => make("li", {}, pieces(tokens, labels, { made: state.made }), ` ${count}`);
    corpus.replaceChildren(...state.corpus.map(word));
  };
  const beside = make("div", { className: "tm-beside" }, tables.element, corpus);
  return mount({ model, el }, controls, [sentence, totals, beside], draw);
}

export default { render };
