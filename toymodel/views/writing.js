// Draws what writing.py computed. No number is made here, and no word.

function render({ model, el }) {
  const labels = model.get("labels");
  const controls = new Controls(model);
  const showChoosing = choosing(controls);
  const showSeed = controls.counter("seed");
  const set = (chosen) => send(model, { chosen });
  const chosen = () => model.get("chosen");
  const next = press(labels.next, "next", () => set(model.get("state").path.slice(0, chosen().length + 1)));
  const undo = press(labels.undo, "undo", () => set(chosen().slice(0, -1)));
  const end = press(labels.end, "end", () => set(model.get("state").path));
  const restart = press(labels.restart, "restart", () => set([]));
  const sentence = make("p", { role: "status" });
  const idle = make("p", { role: "status" });
  const text = make("ol", { className: "tm-pieces" });
  const buttons = make("p", { className: "tm-controls" }, next, undo, end, restart);
  const choose = (_grid, row) => {
    const { before, order } = model.get("state");
    set([...before, order[row]]);
  };
  const [candidates, written] = [new Bars(model, choose), new Grids(model)];
  const beside = make("div", { className: "tm-beside" }, candidates.element, written.element);

  const draw = (state) => {
    const { tokens, n, over } = state;
    const first = tokens.length - n;
    showChoosing(state);
    showSeed(state.seed);
    const piece = (token, k) => {
      const how = k < first ? labels.given : labels.written;
      const below = make("span", { className: "tm-id" }, how);
      return make("li", { className: k < first ? "" : "tm-made" }, write({ token }, labels), " ", below);
    };
    text.replaceChildren(...tokens.map(piece));
    for (const it of [next, end]) allow(it, over.replaceAll("`", ""));
    for (const it of [undo, restart]) allow(it, n ? "" : labels.none);
    sentence.replaceChildren(...writeAll(state.sentence, labels), ...quoting(over));
    say(idle, state.idle);
    candidates.draw(state.next);
    written.draw(state.written);
  };
  return mount({ model, el }, controls, [idle, text, buttons, sentence, make("p", {}, labels.how), beside], draw);
}

export default { render };
