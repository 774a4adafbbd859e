// Draws what path.py computed. No number is made here, and no word.

function render({ model, el }) {
  const labels = model.get("labels");
  const { heads, steps, sentences } = model.get("state");
  const set = (values) => send(model, values);
  const controls = new Controls(model);
  controls.text("text", sentences);
  controls.radios("n_heads", heads);
  controls.checkbox("causal");
  const showTemperature = controls.slider("temperature", { min: 0, max: 3, step: 0.1 });
  const showHeads = controls.select("head");
  controls.checkbox("presenting");
  let showParts;
  controls.fold(labels.parts, false, () => (showParts = controls.checkboxes("off")));

  const pick = ({ key, head, axes }, ...place) => {
    const index = place.slice(0, axes);
    set({ trail: [[key, ...(head === null ? index : [head, ...index])]] });
  };
  const picture = new Picture(model, { open: (opened) => set({ opened }), pick, follow: (row) => set({ row }) });
  const panel = new Panel(model, {
    pick,
    walk: (place) => set({ trail: [...model.get("trail"), place] }),
    back: (k) => set({ trail: model.get("trail").slice(0, k + 1) }),
    edit: (value) => {
      const [key, i, j] = model.get("trail").at(-1);
      const others = model.get("edits").filter(([name, row, column]) => !(name === key && row === i && column === j));
      set({ edits: [...others, [key, i, j, value]] });
    },
    reset: () => set({ edits: [] }),
  });
  const go = (by) => () => {
    const k = steps.indexOf(model.get("opened")) + by;
    if (steps[k]) set({ opened: steps[k] });
  };
  const [back, next] = [[labels.back, -1], [labels.next, 1]].map(([words, by]) => {
    const button = make("button", { type: "button" }, words);
    button.addEventListener("click", go(by));
    return button;
  });
  const changes = make("p", { className: "tm-changes", role: "status" });
  const siblings = make("span", { className: "tm-steps" });
  const walk = make("div", { className: "tm-steps" }, back, next, siblings);
  const parts = [picture.all, walk, changes, panel.element];

  const redraw = (state) => {
    showTemperature(state.temperature);
    showHeads(state.head_names);
    showParts(state.parts);
    drawPicture();
    say(changes, state.changes);
    panel.draw(state);
    siblings.replaceChildren(...state.siblings.map(([step, words], k) => {
      const button = make("button", { type: "button" }, words);
      button.dataset.focus = `sibling ${k}`;
      button.setAttribute("aria-pressed", step === model.get("opened"));
      button.addEventListener("click", () => set({ opened: step }));
      return button;
    }));
    // Not `disabled`: that would take the focus away at the end of the path.
    back.setAttribute("aria-disabled", model.get("opened") === steps[0]);
    next.setAttribute("aria-disabled", model.get("opened") === steps.at(-1));
  };
  const present = () => el.classList.toggle("tm-presenting", model.get("presenting"));
  model.on("change:presenting", present);
  present();
  const drawPicture = () => picture.draw(model.get("state"), model.get("opened"), model.get("row"));
  // Escape: forward again on the way that was walked, or back to the open block.
  el.addEventListener("keydown", ({ key }) => {
    const trail = model.get("trail");
    if (key !== "Escape") return;
    if (trail.length > 1) set({ trail: trail.slice(0, -1) });
    else el.querySelector("[aria-expanded='true']").focus();
  });
  const resized = new ResizeObserver(() => picture.isStale() && drawPicture());
  resized.observe(picture.scroll);
  const unmount = mount({ model, el }, controls, parts, redraw);
  return () => {
    unmount();
    resized.disconnect();
    model.off("change:presenting", present);
  };
}

export default { render };
