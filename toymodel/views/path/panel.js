// What stands beside the picture of the path: the open step explained, one number written out, and its matrices.

class Panel {
  // `acts` are the functions that its parts call: open, pick, walk, back, edit.
  constructor(model, acts) {
    this.model = model;
    this.labels = model.get("labels");
    this.acts = acts;
    this.sum = new WrittenOut(model);
    this.siblings = make("p", { className: "tm-siblings" });
    this.title = make("p", { className: "tm-title" });
    this.formula = make("p", { className: "tm-formula" });
    this.gloss = make("p", { role: "status" });
    this.digits = make("p");
    this.ways = make("div", { className: "tm-ways" });
    this.matrices = make("div", { className: "tm-matrices" });
    const parts = [this.siblings, this.title, this.formula, this.gloss, this.sum.element, this.digits, this.ways];
    const words = make("div", { className: "tm-words" }, ...parts);
    this.element = make("div", { className: "tm-panel", role: "group" }, words, this.matrices);
  }

  draw(panel, opened) {
    this.element.hidden = !panel;
    if (!panel) return;
    this.siblings.replaceChildren(...this.stepsBeside(panel.siblings, opened));
    this.title.textContent = this.element.ariaLabel = panel.title;
    this.formula.textContent = panel.formula;
    say(this.gloss, panel.gloss);
    this.sum.draw(panel.sum);
    this.digits.textContent = `${this.labels.digits}: ${panel.digits}`;
    this.ways.replaceChildren(...this.waysOn(panel));
    this.matrices.replaceChildren(...panel.lines.map((parts) => new Grids(this.model, this.acts.pick).draw(parts)));
  }

  // The steps that open in the same block.
  stepsBeside(siblings, opened) {
    if (siblings.length === 1) return [];
    return siblings.map(([step, words], k) => {
      const button = press(words, `sibling ${k}`, () => this.acts.open(step));
      button.setAttribute("aria-pressed", step === opened);
      return button;
    });
  }

  // Where to walk from here: to what this number was computed from, or forward again to where one came from.
  waysOn({ inputs, trail, weight }) {
    const { labels, acts } = this;
    return [
      ...ways(labels.inputs, inputs.map(({ text }) => text), "input", (k) => acts.walk(inputs[k].place)),
      ...(weight ? [this.editor(weight)] : []),
      ...ways(labels.trail, trail, "trail", acts.back),
    ];
  }

  editor(weight) {
    const place = this.model.get("trail").at(-1).join();
    const isRefused = this.model.get("problem") && this.typed?.place === place; // then it stays, to be mended
    const value = isRefused ? this.typed.value : weight;
    const input = make("input", { type: "text", value, autocomplete: "off" });
    input.dataset.focus = "ways edit";
    sendWhenDone(input, isEnter, () => (input.value = weight));
    input.addEventListener("change", () => {
      if (input.value === weight) return;
      this.typed = { place, value: input.value };
      this.acts.edit(input.value);
    });
    return make("p", {}, make("label", {}, this.labels.edit, input));
  }
}
