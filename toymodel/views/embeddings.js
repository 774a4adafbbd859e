// Draws what embeddings.py computed. No number is made here, and no word.

function render({ model, el }) {
  const { sources } = model.get("state");
  const controls = new Controls(model);
  controls.radios("table", sources.map(([name]) => name), sources.map(([, words]) => words));
  const showTokens = controls.select("token", { lang: "pt" });
  const product = new Grids(model);
  const cosines = new Grids(model, (_, token, other) => send(model, { token, other }));
  const sum = new WrittenOut(model);

  const draw = (state) => {
    showTokens(state.tokens);
    product.draw(state.product);
    cosines.draw([state.cosines]);
    sum.draw(state.sum);
  };
  return mount({ model, el }, controls, [product.element, cosines.element, sum.element], draw);
}

export default { render };
