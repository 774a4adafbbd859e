// Controls: labelled inputs, each tied to the trait whose name it bears.

class Controls {
  constructor(model) {
    this.model = model;
    this.labels = model.get("labels");
    this.releases = [];
    this.element = make("div", { className: "tm-controls" });
  }

  // An input that sets its trait, and follows it when something else sets it.
  tie(trait, input, event, read, show) {
    const { model } = this;
    input.addEventListener(event, () => send(model, { [trait]: read() }));
    const follow = () => show(model.get(trait));
    this.when(`change:${trait}`, follow);
    follow();
  }

  // Do something at each such event, as long as the view stands.
  when(event, act) {
    this.model.on(event, act);
    this.releases.push(() => this.model.off(event, act));
  }

  label(trait, ...inputs) {
    const label = make("label", {}, this.labels[trait], ...inputs);
    this.element.append(label);
    return label;
  }

  typed(trait, input, isDone) {
    const show = (value) => (input.value = value);
    sendWhenDone(input, isDone, () => show(this.model.get(trait)));
    this.tie(trait, input, "change", () => input.value, show);
    this.label(trait, input);
  }

  // `lang` is "" where a text may be in any language.
  text(trait, lang = "pt") {
    const input = make("input", { type: "text", lang, spellcheck: false, autocomplete: "off" });
    this.typed(trait, input, isEnter);
  }

  // Texts to choose from, for a trait that can also be typed.
  examples(trait, words, texts, lang = "pt") {
    const options = ["", ...texts].map((value) => make("option", { value, lang }, value));
    const input = make("select", {}, ...options);
    const show = (value) => (input.value = texts.includes(value) ? value : "");
    this.tie(trait, input, "change", () => input.value || this.model.get(trait), show);
    this.element.append(make("label", {}, words, input));
  }

  // Several lines: there Enter begins another one.
  lines(trait, rows, cols) {
    const input = make("textarea", { rows, cols, lang: "", spellcheck: false, autocomplete: "off" });
    this.typed(trait, input, (pressed) => isEnter(pressed) && (pressed.ctrlKey || pressed.metaKey));
  }

  // `words` are what the options are called, where that is not what they are.
  radios(trait, options, words = options) {
    const name = `tm-${Math.random()}`; // what makes them one group, of all on the page
    const inputs = options.map((it) => make("input", { type: "radio", name, value: it }));
    const all = make("fieldset", {}, make("legend", {}, this.labels[trait]));
    inputs.forEach((input, k) => all.append(make("label", {}, input, String(words[k]))));
    const chosen = () => options[inputs.findIndex((input) => input.checked)];
    this.tie(trait, all, "change", chosen, (value) => inputs.forEach((it, k) => (it.checked = options[k] === value)));
    this.element.append(all);
  }

  checkbox(trait) {
    const input = make("input", { type: "checkbox", "data-trait": trait });
    this.tie(trait, input, "change", () => input.checked, (value) => (input.checked = value));
    this.label(trait).prepend(input);
  }

  // Returns what shows the value as text, beside the slider and to a screen reader, and may set how far it goes.
  slider(trait, range) {
    const input = make("input", { type: "range", ...range });
    this.tie(trait, input, "input", () => Number(input.value), (value) => {
      input.max = Math.max(input.max, value); // a cell may have set more than the slider has
      input.value = value;
    });
    return this.besides(trait, input);
  }

  // A slider with a place for each of these values, however far apart; for another value, that of the one below it.
  scale(trait, values) {
    const input = make("input", { type: "range", min: 0, max: values.length - 1, step: 1 });
    const show = (value) => (input.value = Math.max(0, values.findLastIndex((it) => it <= value)));
    this.tie(trait, input, "input", () => values[input.value], show);
    return this.besides(trait, input);
  }

  besides(trait, input) {
    const beside = make("span", { className: "tm-degrees", "aria-hidden": "true" });
    this.element.append(make("span", {}, make("label", {}, this.labels[trait], input), beside));
    return (text, max = input.max) => {
      input.max = max;
      beside.textContent = text;
      input.setAttribute("aria-valuetext", text);
    };
  }

  // A button that adds 1 to its trait. Returns what shows the value as text, beside the button.
  counter(trait) {
    const add = press(this.labels[trait], trait, () => send(this.model, { [trait]: this.model.get(trait) + 1 }));
    const beside = make("span", { className: "tm-degrees" });
    this.element.append(make("span", {}, add, beside));
    return (text) => (beside.textContent = text);
  }

  // Returns what sets the options: their texts, whose values count from 0, and which of them is drawn for -1, the last.
  select(trait, attributes = {}) {
    const input = make("select", {});
    let last;
    const show = (value) => (input.value = value === -1 ? last : value);
    this.tie(trait, input, "change", () => Number(input.value), show);
    this.label(trait, input);
    return (texts, drawn) => {
      last = drawn;
      input.replaceChildren(...texts.map((text, value) => this.option(text, value, attributes)));
      show(this.model.get(trait));
    };
  }

  option(text, value, attributes) {
    return make("option", { value, "aria-label": spoken(text, this.labels), ...attributes }, text);
  }

  // Values to choose from, where the trait holds the value itself.
  among(trait, values, attributes = {}) {
    const input = make("select", {}, ...values.map((it) => this.option(it, it, attributes)));
    this.tie(trait, input, "change", () => input.value, (value) => (input.value = value));
    this.label(trait, input);
  }

  // Controls that can be folded away, under a heading.
  fold(words, open, addControls) {
    const [outside, inside] = [this.element, make("div", { className: "tm-controls" })];
    this.element = inside;
    addControls();
    this.element = outside;
    outside.append(make("details", { open }, make("summary", {}, words), inside));
  }

  // A list of what is checked. Returns what sets the choices, [value, words] each.
  checkboxes(trait) {
    const { model } = this;
    const all = make("fieldset", {}, make("legend", {}, this.labels[trait]));
    let boxes = [];
    const chosen = () => boxes.filter((box) => box.checked).map((box) => box.value);
    const show = () => boxes.forEach((box) => (box.checked = model.get(trait).includes(box.value)));
    this.tie(trait, all, "change", chosen, show);
    this.element.append(all);
    return (choices) => {
      const values = choices.map(([value]) => value);
      if (boxes.map((box) => box.value).join() === values.join()) return;
      boxes = values.map((value) => make("input", { type: "checkbox", value }));
      const labels = choices.map(([, words], k) => make("label", {}, boxes[k], words));
      all.replaceChildren(all.firstChild, ...labels);
      show();
    };
  }
}
