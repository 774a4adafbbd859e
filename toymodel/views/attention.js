// Draws what attention.py computed. No number is made here, and no word.

function render({ model, el }) {
  const { options, stages } = model.get("state");
  const controls = new Controls(model);
  controls.text("text");
  controls.radios("n_heads", options.n_heads);
  controls.checkbox("causal");
  controls.radios("stage", options.stage, stages);
  const showQueries = controls.select("query");
  const changes = make("p", { className: "tm-changes", role: "status" });
  const pick = (_key, [head, query, key]) => {
    model.set({ head, query, key });
    model.save_changes();
  };
  const heads = new Grids(model, pick);
  const sum = new WrittenOut();
  const [product, rows, home] = [new Grids(model), new Grids(model), new Grids(model)];
  const picked = make("div", { className: "tm-beside" }, sum.element, product.element);
  const parts = [heads.element, changes, picked, rows.element, home.element];

  const draw = (state) => {
    showQueries(state.options.query);
    heads.draw(state.tables);
    changes.textContent = state.changes;
    sum.draw(state.sum);
    product.draw([state.product]);
    rows.draw(state.rows);
    home.draw([state.home]);
  };
  const release = () => [heads, sum, product, rows, home].forEach((it) => it.release());
  return mount({ model, el }, "tm-attention", controls, parts, draw, [release]);
}

export default { render };
