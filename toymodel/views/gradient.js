// Draws what gradient.py computed. No number is made here, and no word.

function render({ model, el }) {
  const labels = model.get("labels");
  const { targets, keys } = model.get("state");
  const controls = new Controls(model);
  controls.text("text");
  controls.among("target", targets, { lang: "pt" });
  controls.among("key", keys);
  const go = ([key, ...index], trail) => send(model, { key, index, trail });
  const pick = (grid, ...place) => go([grid.key, ...indexOf(grid, ...place)], []);
  const loss = make("p", { role: "status" });
  const zeros = make("p");
  const lines = make("div");
  const sum = new WrittenOut(model);
  const walk = make("div", { className: "tm-ways" });
  const check = new Grids(model);

  const draw = ({ inputs, trail, ...state }) => {
    loss.replaceChildren(...state.loss.map((part) => write(part, labels)));
    zeros.textContent = state.zeros;
    lines.replaceChildren(...state.lines.map((grids) => new Grids(model, pick).draw(grids)));
    sum.draw(state.sum);
    const [places, texts] = [(all) => all.map((it) => it.place), (all) => all.map((it) => it.text)];
    const here = [model.get("key"), ...model.get("index")];
    walk.replaceChildren(
      ...ways(labels.inputs, texts(inputs), "input", (k) => go(inputs[k].place, [...places(trail), here])),
      ...ways(labels.trail, texts(trail), "trail", (k) => go(trail[k].place, places(trail).slice(0, k))),
    );
    check.draw(state.check);
  };
  const words = make("div", {}, sum.element, walk);
  const beside = make("div", { className: "tm-beside" }, words, check.element);
  return mount({ model, el }, controls, [loss, zeros, lines, beside], draw);
}

export default { render };
