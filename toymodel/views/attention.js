// Draws what attention.py computed. No number is made here, and no word.

function render({ model, el }) {
  const { heads, masks, stages } = model.get("state");
  const controls = new Controls(model);
  controls.text("text");
  if (heads.length) controls.radios("n_heads", heads);
  if (masks) controls.checkbox("causal");
  controls.radios("stage", stages.map(([stage]) => stage), stages.map(([, words]) => words));
  const showQueries = controls.select("query", { lang: "pt" });
  const changes = changesLine();
  const patterns = new Grids(model, ({ head }, query, key) => send(model, { head, query, key }));
  const sum = new WrittenOut(model);
  const rows = new Grids(model, ({ head }, i, key) => {
    const isSum = key === model.get("state").queries.length; // there is nothing more to say of it
    if (!isSum) send(model, { stage: stages[i][0], head, key });
  });
  const [product, out] = [new Grids(model), new Grids(model)];
  const picked = make("div", { className: "tm-beside" }, sum.element, product.element);
  const parts = [patterns.element, changes, picked, rows.element, out.element];

  const draw = (state) => {
    showQueries(state.queries, state.query);
    patterns.draw(state.tables);
    say(changes, state.changes);
    sum.draw(state.sum);
    product.draw([state.product]);
    rows.draw(state.rows);
    out.draw(state.out);
  };
  return mount({ model, el }, controls, parts, draw);
}

export default { render };
