// Draws what tree.py computed. No number is made here, and no word.

// A tree to go through with the arrow keys: down and up from line to line, right to what follows, left back.
class Branches {
  constructor(model) {
    this.model = model;
    this.labels = model.get("labels");
    this.tree = make("ul", { role: "tree", ariaLabel: this.labels.tree });
    const box = make("div", { className: "tm-scroll", "data-name": this.labels.tree, "data-focus": "tree" }, this.tree);
    this.element = make("div", { className: "tm-tree" }, box);
    this.tree.addEventListener("click", ({ target }) => this.choose(target.closest("li")));
    this.tree.addEventListener("keydown", (event) => this.walk(event));
  }

  draw({ tree, full, branch }) {
    this.tree.replaceChildren(...this.items(tree, [], full, branch));
  }

  items(branches, before, full, picked) {
    return branches.map((it, i) => this.item(it, [...before, i], full, picked));
  }

  item({ token, p, product, greedy, branches }, places, full, picked) {
    const { labels } = this;
    const [place, way] = [places.join(), picked.join()];
    const numbers = places.length > 1 ? `· ${p} = ${product}` : p;
    const name = [greedy ? make("span", { className: "tm-star" }, "★") : "", write({ token }, labels)];
    const look = place === way ? " tm-picked" : `${way},`.startsWith(`${place},`) ? " tm-used" : "";
    const node = make("span", { className: `tm-node${look}` }, make("span", {}, ...name), make("span", {}, numbers));
    const item = make("li", { role: "treeitem", className: greedy ? "tm-greedy" : "" }, node);
    item.style.setProperty("--share", share(product, full));
    item.ariaLabel = [spoken({ token }, labels), numbers, ...(greedy ? [labels.greedy] : [])].join(", ");
    item.ariaSelected = place === way;
    item.tabIndex = place === way ? 0 : -1;
    item.dataset.focus = `branch ${place}`;
    if (branches.length) item.append(make("ul", { role: "group" }, ...this.items(branches, places, full, picked)));
    return item;
  }

  choose(item) {
    if (!item) return; // a click between the branches
    item.focus();
    send(this.model, { branch: item.dataset.focus.split(" ")[1].split(",").map(Number) });
  }

  walk(event) {
    if (!isAlone(event)) return;
    const [all, item] = [[...this.tree.querySelectorAll("li")], event.target];
    const at = all.indexOf(item);
    const goal = {
      ArrowDown: all[at + 1], ArrowUp: all[at - 1], Home: all[0], End: all.at(-1), Enter: item, " ": item,
      ArrowRight: item.querySelector("li"), ArrowLeft: item.parentElement.closest("li"),
    };
    if (!(event.key in goal)) return;
    event.preventDefault();
    this.choose(goal[event.key] ?? item);
  }
}

function render({ model, el }) {
  const labels = model.get("labels");
  const controls = new Controls(model);
  controls.text("text");
  const showWidth = controls.slider("width", { min: 1, max: 4, step: 1 });
  const showDepth = controls.slider("depth", { min: 1, max: 5, step: 1 });
  const showTemperature = controls.slider("temperature", { min: 0, max: 3, step: 0.1 });
  const greedy = make("p", { role: "status" });
  const cut = make("p", { role: "status" });
  const branches = new Branches(model);
  const sum = new WrittenOut(model);
  const together = make("p");
  const ends = new Grids(model);

  const draw = (state) => {
    showWidth(state.width);
    showDepth(state.depth);
    showTemperature(state.temperature);
    greedy.replaceChildren(...writeAll(state.greedy, labels));
    say(cut, state.cut);
    branches.draw(state);
    sum.draw(state.sum);
    together.textContent = state.together;
    ends.draw(state.tables);
  };
  const parts = [greedy, sum.element, cut, branches.element, together, ends.element];
  return mount({ model, el }, controls, parts, draw);
}

export default { render };
