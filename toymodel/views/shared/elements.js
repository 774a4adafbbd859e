// Elements of the page: how they are made, how a token is written and read aloud, how an input says that it is done.
// This stands first in every view (see view.py), so its names need no import.

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

// Of some buttons side by side, the Tab key leads to one, arrow keys to the others; it begins with the first, or `at`.
function roving(buttons, [back, on], at = 0) {
  const lead = (to) => buttons.forEach((button, k) => (button.tabIndex = k === to ? 0 : -1));
  lead(at);
  buttons.forEach((button, k) => {
    button.addEventListener("focus", () => lead(k));
    button.addEventListener("keydown", (event) => {
      if (!isAlone(event)) return;
      const goal = { [back]: k - 1, [on]: k + 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (goal === undefined) return;
      event.preventDefault();
      buttons[Math.max(0, Math.min(goal, buttons.length - 1))].focus();
    });
  });
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
