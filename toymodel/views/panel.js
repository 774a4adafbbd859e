// What stands beside the picture of the path: the open step explained, its matrices, and one number written out.

class Panel {
  // `acts` are the functions that its parts call: pick, walk, back, edit, reset.
  constructor(model, acts) {
    this.model = model;
    this.labels = model.get("labels");
    this.acts = acts;
    this.sum = new WrittenOut(model);
    this.title = make("h4");
    this.formula = make("p", { className: "tm-formula" });
    this.gloss = make("p", { role: "status" });
    this.digits = make("p", { className: "tm-digits" });
    this.ways = make("div", { className: "tm-ways" });
    this.matrices = make("div");
    const number = make("div", {}, this.sum.element, this.digits, this.ways);
    this.element = make("div", { className: "tm-panel" }, this.title, this.formula, this.gloss, number, this.matrices);
  }

  draw(state) {
    this.title.textContent = state.title;
    this.formula.textContent = state.formula;
    say(this.gloss, state.gloss);
    this.sum.draw(state.sum);
    this.digits.textContent = `${this.labels.digits}: ${state.digits}`;
    this.matrices.replaceChildren(...state.lines.map((parts) => new Grids(this.model, this.acts.pick).draw(parts)));
    this.ways.replaceChildren(...this.waysOn(state));
  }

  // Where to walk from here: back to what this number was computed from, forward to where one came from.
  waysOn({ inputs, trail, weight, edited }) {
    const { labels } = this;
    const buttons = (name, words, places, go) => {
      const all = places.map(({ text }, k) => {
        const button = make("button", { type: "button" }, text);
        button.dataset.focus = `ways ${name} ${k}`;
        button.addEventListener("click", () => go(k));
        return button;
      });
      return places.length ? [make("p", {}, `${words}: `, ...all)] : [];
    };
    const found = [
      ...buttons("input", labels.inputs, inputs, (k) => this.acts.walk(inputs[k].place)),
      ...(weight ? [this.editor(weight)] : []),
      ...buttons("trail", labels.trail, trail, (k) => this.acts.back(k)),
    ];
    if (edited) {
      const reset = make("button", { type: "button" }, labels.reset);
      reset.addEventListener("click", () => this.acts.reset());
      found.push(make("p", {}, `${edited} `, reset));
    }
    return found;
  }

  editor(weight) {
    const input = make("input", { type: "text", value: weight, autocomplete: "off" });
    input.dataset.lmSuppressShortcuts = "true";
    input.dataset.focus = "ways edit";
    input.addEventListener("keydown", ({ key }) => key === "Enter" && input.dispatchEvent(new Event("change")));
    input.addEventListener("change", () => input.value !== weight && this.acts.edit(input.value));
    return make("p", {}, make("label", {}, this.labels.edit, input));
  }
}
