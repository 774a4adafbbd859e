// What all views share. It stands before each view's own file (see view.py), so its names need no import.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function makeSvg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Where a view says what the last move has changed.
function changesLine() {
  return make("p", { className: "tm-changes", role: "status" });
}

function aloud(words) {
  return make("span", { className: "tm-aloud" }, words);
}

// A word stays as it is. A token is Portuguese, if it names no other language, and its ␣ is read aloud as a space.
function write(part, labels) {
  if (typeof part === "string") return part;
  if (part.sign) return make("span", {}, aloud(part.said), make("span", { "aria-hidden": "true" }, part.sign));
  const { token, lang = "pt" } = part;
  if (!token.startsWith("␣")) return make("span", { lang }, token);
  const visible = make("span", { "aria-hidden": "true" }, "␣");
  return make("span", {}, aloud(`${labels.space} `), visible, make("span", { lang }, token.slice(1)));
}

// Parts after each other, with a blank after each.
function writeAll(parts, labels) {
  return parts.flatMap((part) => [write(part, labels), " "]);
}

// Words for a name, where no markup can stand.
function spoken(part, labels) {
  return (part.token ?? part).replace("␣", `${labels.space} `);
}

// What stands between backticks is what the reader typed, or could type.
function quoting(text) {
  return text.split("`").map((part, k) => (k % 2 ? make("code", {}, part) : part));
}

// Say something in a live region, once.
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function send(model, values) {
  model.set(values);
  model.save_changes();
}

// A button. `focus` is its name for giving the focus back when it has been drawn anew.
function press(content, focus, act) {
  const button = make("button", { type: "button" }, ...[content].flat());
  button.dataset.focus = focus;
  button.addEventListener("click", act);
  return button;
}

// Whether a button may be pressed; if not, why. (Not `disabled`: that would take the focus away.)
function allow(button, whyNot) {
  button.setAttribute("aria-disabled", Boolean(whyNot));
  button.setAttribute("aria-description", whyNot);
  button.title = whyNot;
}

const isEnter = ({ key }) => key === "Enter";
const isAlone = ({ altKey, ctrlKey, metaKey, shiftKey }) => !(altKey || ctrlKey || metaKey || shiftKey);

// What was typed counts when a key says so, and when the input is left; Escape gives the old text back. The browser's
// own change event is not enough: JupyterLab swallows that of Enter, and there is none where the old text was retyped.
function sendWhenDone(input, isDone, restore) {
  const done = () => input.dispatchEvent(new Event("change"));
  input.addEventListener("keydown", (pressed) => {
    if (isDone(pressed)) done();
    if (pressed.key !== "Escape") return;
    const typed = input.value;
    restore();
    if (input.value !== typed) pressed.stopPropagation(); // then it means no more than that
  });
  input.addEventListener("blur", done);
}

// ---- controls: labelled inputs, each tied to the trait whose name it bears

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
    model.on(`change:${trait}`, follow);
    this.releases.push(() => model.off(`change:${trait}`, follow));
    follow();
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
  examples(trait, words, texts) {
    const options = ["", ...texts].map((value) => make("option", { value, lang: "pt" }, value));
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

// ---- a view as a whole

const FOCUSABLE = "button, input, textarea, select, summary, [tabindex]";

// What is too wide for its place scrolls by itself: then the keyboard must be able to reach it, under a name.
function letScroll(el) {
  for (const box of el.querySelectorAll(".tm-scroll")) {
    const scrolls = box.scrollWidth > box.clientWidth;
    for (const [attribute, value] of [["role", "group"], ["aria-label", box.dataset.name], ["tabindex", "0"]])
      if (scrolls) box.setAttribute(attribute, value);
      else box.removeAttribute(attribute);
  }
}

// How to scroll what has been drawn anew as far as it was, and then to the picked cell, which its row's name may cover.
function scrolledIn(el) {
  const boxes = () => [...el.querySelectorAll(".tm-scroll[data-focus]")];
  const was = new Map(boxes().map((box) => [box.dataset.focus, box.scrollLeft]));
  return () => {
    for (const box of boxes()) {
      box.scrollLeft = was.get(box.dataset.focus) ?? 0;
      const td = box.querySelector("td.tm-picked");
      if (!td) continue;
      const least = td.offsetLeft + td.offsetWidth - box.clientWidth;
      const most = td.offsetLeft - td.parentElement.firstChild.offsetWidth;
      box.scrollLeft = Math.max(least, Math.min(box.scrollLeft, most));
    }
  };
}

// How to give the focus back to what has it now, when that has been drawn anew: to what bears the same name in
// `data-focus` ("input 2", or else the same first word; of the ways back, the last: it leads back by one), and there to
// the cell in the same row and column.
function focusIn(el) {
  const active = el.getRootNode().activeElement;
  const name = el.contains(active) && active.closest("[data-focus]")?.dataset.focus;
  if (!name) return () => {};
  const td = active.matches("td") ? active : null;
  const [row, column] = [td?.parentElement.rowIndex, td?.cellIndex];
  return () => {
    // A cell gives way to a cell: some grids are only there to be read.
    const named = [...el.querySelectorAll("[data-focus]")].filter((it) => !td || it.querySelector("[role='grid']"));
    const alike = named.filter((it) => it.dataset.focus.split(" ")[0] === name.split(" ")[0]);
    const closest = alike.find((it) => !it.dataset.focus.startsWith("ways trail")) ?? alike.at(-1);
    const there = named.find((it) => it.dataset.focus === name) ?? closest;
    const cell = td && there?.querySelector("table").rows[row]?.cells[column];
    (cell ?? (td && there?.querySelector("[tabindex='0']")) ?? there)?.focus();
  };
}

// Put a view together: its controls, the place for a problem, what it draws. Returns how to take it down again.
// `isStale` says whether what is drawn is for another width than there is now.
function mount({ model, el }, controls, parts, draw, isStale = () => false) {
  const problem = make("p", { className: "tm-problem", role: "alert" });
  el.classList.add("tm-view");
  el.append(controls.element, problem, ...parts);
  el.addEventListener("keydown", (event) => event.stopPropagation()); // else JupyterLab begins no new line in a box
  const redraw = () => {
    const [scrollBack, giveBack] = [scrolledIn(el), focusIn(el)];
    draw(model.get("state"));
    scrollBack();
    letScroll(el);
    // Notebook 7 would take the arrow keys away: it looks for this attribute on the very element that has the focus.
    for (const it of el.querySelectorAll(FOCUSABLE)) it.dataset.lmSuppressShortcuts = "true";
    giveBack();
  };
  const complain = () => problem.replaceChildren(...quoting(model.get("problem")));
  model.on("change:state", redraw);
  model.on("change:problem", complain);
  const resized = new ResizeObserver(() => (isStale() ? redraw() : letScroll(el)));
  resized.observe(el);
  redraw();
  complain();
  return () => {
    controls.releases.forEach((release) => release());
    resized.disconnect();
    model.off("change:state", redraw);
    model.off("change:problem", complain);
  };
}
