// What all views share. It stands before each view's own file (see view.py), so its functions need no import.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function aloud(words) {
  return make("span", { className: "tm-aloud" }, words);
}

// A word stays as it is. A token is Portuguese, and its ␣ is read aloud as a space.
function write(part, labels) {
  if (typeof part === "string") return part;
  const token = part.token;
  if (!token.startsWith("␣")) return make("span", { lang: "pt" }, token);
  const visible = make("span", { "aria-hidden": "true" }, "␣");
  return make("span", {}, aloud(`${labels.space} `), visible, make("span", { lang: "pt" }, token.slice(1)));
}

function drawCell(cell, labels) {
  const td = make("td", { className: (cell.changed ? "tm-changed " : "") + (cell.token ? "tm-left" : "") });
  if (cell.token) td.append(write(cell, labels));
  if (cell.number) {
    td.append(make("span", { className: "tm-number" }, cell.number));
    td.style.setProperty("--share", cell.share);
  }
  if (cell.changed) td.append(aloud(` ${labels.changed}`));
  return td;
}

function drawGrid({ caption, columns, rows }, labels) {
  const parts = caption.flatMap((part) => [write(part, labels), " "]);
  const isLeft = (k) => k === 0 || rows[0].cells[k - 1].token;
  const head = columns.map((part, k) =>
    make("th", { scope: "col", className: isLeft(k) ? "tm-left" : "" }, write(part, labels)),
  );
  const body = rows.map(({ label, cells }) =>
    make("tr", {}, make("th", { scope: "row" }, write(label, labels)), ...cells.map((cell) => drawCell(cell, labels))),
  );
  const table = make(
    "table", {},
    make("caption", {}, ...parts), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body),
  );
  return make("div", { className: "tm-scroll", "data-name": caption[0] }, table);
}

// A grid too wide for its place scrolls by itself: then the keyboard must be able to reach it, under a name.
function letScroll(boxes) {
  for (const box of boxes) {
    const scrolls = box.scrollWidth > box.clientWidth;
    for (const [name, value] of [["role", "region"], ["aria-label", box.dataset.name], ["tabindex", "0"]])
      if (scrolls) box.setAttribute(name, value);
      else box.removeAttribute(name);
  }
}

// An input that sets a trait of the model, and follows it when something else sets it; returns how to undo that.
function connect(model, trait, input, event, read, show) {
  input.addEventListener(event, () => {
    model.set(trait, read());
    model.save_changes();
  });
  const follow = () => show(model.get(trait));
  model.on(`change:${trait}`, follow);
  follow();
  return () => model.off(`change:${trait}`, follow);
}

// Put a view together: its controls, the place for a problem, what it draws. Returns how to take it down again.
function mount({ model, el }, name, panel, parts, draw, releases) {
  const problem = make("p", { className: "tm-problem", role: "alert" });
  el.classList.add("tm-view", name);
  el.append(panel, problem, ...parts);
  // JupyterLab would take the arrow keys away: it looks for this attribute on the very element that has the focus.
  for (const input of panel.querySelectorAll("input")) input.dataset.lmSuppressShortcuts = "true";

  const redraw = () => draw(model.get("state"));
  // What stands between backticks is what the reader typed, or could type.
  const quoted = (part, k) => (k % 2 ? make("code", {}, part) : part);
  const complain = () => problem.replaceChildren(...model.get("problem").split("`").map(quoted));
  model.on("change:state", redraw);
  model.on("change:problem", complain);
  redraw();
  complain();
  return () => {
    releases.forEach((release) => release());
    model.off("change:state", redraw);
    model.off("change:problem", complain);
  };
}
