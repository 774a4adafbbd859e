// Draws what path.py computed. No number is made here, and no word.

function render({ model, el }) {
  const labels = model.get("labels");
  const { heads, steps, sentences } = model.get("state");
  const set = (values) => send(model, values);
  const controls = new Controls(model);
  controls.text("text");
  controls.examples("text", labels.examples, sentences);
  controls.radios("n_heads", heads);
  controls.checkbox("causal");
  const showTemperature = controls.slider("temperature", { min: 0, max: 3, step: 0.1 });
  const showHeads = controls.select("head");
  controls.checkbox("presenting");
  let showParts;
  controls.fold(labels.parts, false, () => (showParts = controls.checkboxes("off")));

  const open = (opened) => set({ opened });
  // To click an input of the number that is written out is to walk on; to click another number is to begin anew.
  const go = (place) => {
    const { panel } = model.get("state");
    const isInput = panel?.inputs.some((input) => input.place.join() === place.join());
    set({ trail: isInput ? [...model.get("trail"), place] : [place] });
  };
  const pick = (grid, ...place) => go([grid.key, ...indexOf(grid, ...place)]);
  const panel = new Panel(model, {
    open,
    pick,
    walk: go,
    back: (k) => set({ trail: model.get("trail").slice(0, k + 1) }),
    edit: (value) => {
      const [key, i, j] = model.get("trail").at(-1);
      const others = model.get("edits").filter(([name, row, column]) => !(name === key && row === i && column === j));
      set({ edits: [...others, [key, i, j, value]] });
    },
  });
  const move = (by) => () => {
    const step = steps[steps.indexOf(model.get("opened")) + by];
    if (step) open(step);
  };
  const back = press(labels.back, "back", move(-1));
  const next = press(labels.next, "next", move(1));
  const stepping = make("p", { className: "tm-steps" }, back, next);
  const picture = new Picture(model, {
    open,
    pick,
    follow: (row) => set({ row }),
    pickBar: (i) => go(["probs", model.get("state").row, i]),
  }, stepping, panel.element);
  const changes = changesLine();
  const words = make("span");
  const yours = make("p", {}, words, press(labels.reset, "reset", () => set({ edits: [], off: [] })));
  const legend = make("ul", {}, ...model.get("state").legend.map((line) => make("li", {}, line)));
  const howTo = make("details", {}, make("summary", {}, labels.legend), legend);
  const parts = [picture.element, picture.steps, changes, yours, howTo, picture.below];

  const draw = (state) => {
    showTemperature(state.temperature);
    showHeads(state.head_names);
    showParts(state.parts);
    panel.draw(state.panel, state.opened);
    picture.draw(state);
    say(changes, state.changes);
    yours.hidden = !state.yours;
    words.textContent = `${labels.yours}: ${state.yours} `;
    // Not `disabled`: that would take the focus away at the end of the path.
    back.setAttribute("aria-disabled", steps.indexOf(state.opened) < 1);
    next.setAttribute("aria-disabled", state.opened === steps.at(-1));
  };
  // Escape: forward again on the way that was walked; at its beginning, close the step.
  const escape = ({ key }) => {
    const trail = model.get("trail");
    if (key !== "Escape") return;
    if (trail.length > 1) set({ trail: trail.slice(0, -1) });
    else {
      el.querySelector("[aria-expanded='true']")?.focus();
      open("");
    }
  };
  el.addEventListener("keydown", escape);
  const present = () => el.classList.toggle("tm-presenting", model.get("presenting"));
  model.on("change:presenting", present);
  present();
  const unmount = mount({ model, el }, controls, parts, draw, () => picture.isStale());
  return () => {
    unmount();
    el.removeEventListener("keydown", escape);
    model.off("change:presenting", present);
  };
}

export default { render };
