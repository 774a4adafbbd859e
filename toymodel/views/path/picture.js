// The picture of the path: tokens, the lanes with the blocks' buttons, bars at the end; in little width, a list.

const WIDE = 20; // more room around the heads, for the ribbons
const NAME = 34; // the height of the name above the bars
const LEAST = 480; // in less width the picture becomes a list

class Picture {
  // `acts` are the functions that its parts call: open, pick, follow, pickBar. `stepping` has the buttons that lead
  // on, `panel` explains: they stand below the picture, in `steps` and `below`, or in the list at the open block.
  constructor(model, acts, stepping, panel) {
    this.model = model;
    this.labels = model.get("labels");
    this.acts = acts;
    [this.stepping, this.panel] = [stepping, panel];
    this.grids = new Grids(model, acts.pick);
    this.grids.element.classList.add("tm-open");
    this.lanes = make("div", { className: "tm-path" });
    this.scroll = make("div", { className: "tm-lanes tm-scroll", "data-name": this.labels.path }, this.lanes);
    this.tokens = make("div", { className: "tm-tokens" });
    this.bars = make("div", { className: "tm-end" });
    const parts = [this.tokens, this.scroll, this.bars];
    this.element = make("div", { className: "tm-picture", role: "group", ariaLabel: this.labels.path }, ...parts);
    [this.steps, this.below] = [make("div"), make("div")];
  }

  // Whether it was drawn for another width.
  isStale() {
    return this.width !== this.element.clientWidth;
  }

  draw(state) {
    const isStale = this.isStale();
    this.width = this.element.clientWidth;
    const isList = this.width > 0 && this.width < LEAST;
    this.element.classList.toggle("tm-list", isList);
    this.tokens.replaceChildren(...state.tokens.map((token, i) => this.token(token, i, i === state.row, isList)));
    const at = state.blocks.findIndex((block) => block.steps.includes(state.opened));
    const buttons = state.blocks.map((block, k) => this.button(block, k, k === at));
    this.rove(buttons, Math.max(0, at));
    this.bars.replaceChildren(buttons.at(-1), this.barTable(state, isList));
    if (isList) this.drawList(state, at, buttons.slice(0, -1));
    else this.drawLanes(state, at, buttons.slice(0, -1), this.place(state, at), isStale);
  }

  // In little width: the blocks below each other, what is open below its block, which is kept in sight.
  drawList(state, at, buttons) {
    const open = state.panel ? [this.stepping, this.open(state, at), this.panel] : [];
    this.lanes.replaceChildren(...buttons.flatMap((button, k) => (k === at ? [button, ...open] : [button])));
    if (at === buttons.length) this.bars.append(this.stepping, this.panel);
    if (at < 0) this.steps.replaceChildren(this.stepping);
    if (this.opened !== undefined && this.opened !== state.opened) buttons[at]?.scrollIntoView();
    this.opened = state.opened;
    this.lanes.removeAttribute("style");
    this.grids.element.removeAttribute("style");
  }

  drawLanes(state, at, buttons, place, isStale) {
    buttons.forEach((button, k) => this.put(button, k, k === at, place));
    const open = state.panel && at < buttons.length ? [this.open(state, at)] : [];
    this.lanes.replaceChildren(lanesSvg(state, at, place), ...buttons, ...open);
    Object.assign(this.lanes.style, { width: `${place.width}px`, height: `${place.height}px` });
    if (open.length) {
      const { style } = this.grids.element;
      Object.assign(style, { left: `${place.left(at) + PAD}px`, bottom: `${place.height - place.bottom}px` });
    }
    this.steps.replaceChildren(this.stepping);
    this.below.replaceChildren(this.panel);
    if ((isStale || this.opened !== state.opened) && at >= 0) {
      const middle = at < buttons.length ? (place.left(at) + place.right(at)) / 2 : place.width;
      this.scroll.scrollLeft = middle - this.scroll.clientWidth / 2;
    }
    this.opened = state.opened;
  }

  place({ blocks, tokens, bars, head_names }, at) {
    const shapes = blocks.slice(0, -1).map(({ shades, kind }, k) => ({
      columns: shades.map((rows) => rows[0].length),
      isOpen: k === at,
      cards: kind === "heads" ? head_names.length : 1,
      gap: kind === "heads" || kind === "qkv" ? WIDE : 0,
    }));
    const placed = layout(shapes, tokens.length, this.scroll.clientWidth, bars.rows.length);
    const left = (k) => placed.blocks[k].x;
    const right = (k) => left(k) + placed.blocks[k].width;
    return { ...placed, left, right, at: (kind) => blocks.findIndex((it) => it.kind === kind) };
  }

  token(token, i, isFollowed, isList) {
    const button = press(write({ token }, this.labels), `token ${i}`, () => this.acts.follow(i));
    button.className = "tm-token";
    button.setAttribute("aria-pressed", isFollowed);
    if (!isList && i === 0) button.style.marginTop = `${laneAt(0) - LANE / 2}px`;
    return button;
  }

  button(block, k, isOpen) {
    const name = make("span", { className: "tm-name" }, block.name);
    const shape = make("span", { className: "tm-shape" }, `${block.symbol} ${block.shape}`);
    const step = block.kind === "heads" || block.kind === "bars" ? block.steps.at(-1) : block.steps[0];
    const button = press([name, shape], `block ${k}`, () => this.acts.open(isOpen ? "" : step));
    button.className = `tm-block${block.off ? " tm-off" : ""}`;
    button.setAttribute("aria-expanded", isOpen);
    const more = [block.off && this.labels.off, block.changed.length && this.labels.changed].filter(Boolean);
    button.setAttribute("aria-label", [`${block.label}, ${block.symbol} ${block.shape}`, ...more].join(", "));
    return button;
  }

  // An open block leaves the lanes to its matrix; its button is its name below them. Names are as wide as they are: a
  // pointer meets the name, or the block.
  put(button, k, isOpen, { left, right, bottom, levels }) {
    const top = isOpen ? bottom : TOP;
    const name = bottom - top + 4 + LEVEL * (k % levels);
    const places = { left: left(k), top, width: right(k) - left(k), paddingTop: name };
    for (const [name, pixels] of Object.entries(places)) button.style[name] = `${pixels}px`;
    button.style.setProperty("--block", `${bottom - top}px`);
  }

  // The Tab key leads to one block, the arrow keys to the others.
  rove(buttons, at) {
    buttons.forEach((button, k) => {
      button.tabIndex = k === at ? 0 : -1;
      button.addEventListener("keydown", (event) => {
        const last = buttons.length - 1;
        const steps = { ArrowRight: k + 1, ArrowDown: k + 1, ArrowLeft: k - 1, ArrowUp: k - 1, Home: 0, End: last };
        if (!(event.key in steps)) return;
        event.preventDefault();
        buttons[Math.max(0, Math.min(steps[event.key], last))].focus();
      });
    });
  }

  // The open step's matrices, on the lanes; where there are several, each under its name.
  open({ panel, blocks }, at) {
    const { keys } = blocks[at];
    const shown = keys.map((key) => panel.lines.flat().find((it) => it.key === key)).filter(Boolean);
    this.grids.draw(shown.map((grid) => ({ ...grid, name: `${grid.name} on the lanes` })));
    this.grids.element.classList.toggle("tm-many", keys.length > 1);
    return this.grids.element;
  }

  // The tokens that could come next: bars with their probabilities, and with what these were or would be.
  barTable({ bars }, isList) {
    const { labels } = this;
    const rows = bars.rows.map(([token, now, before], i) => {
      const bar = make("td", { className: "tm-next-bar" }, press(now, `bar ${i}`, () => this.acts.pickBar(i)));
      bar.style.setProperty("--share", now);
      if (now !== before) bar.append(make("span", { className: "tm-was" }, ` ${bars.before} ${before}`));
      const name = make("th", { scope: "row" }, write({ token }, labels));
      return make("tr", { className: i === bars.best ? "tm-best" : "" }, name, bar);
    });
    const caption = make("caption", { className: "tm-aloud" }, labels.bars);
    const table = make("table", { className: "tm-next" }, caption, make("tbody", {}, ...rows));
    this.bars.style.paddingTop = isList ? 0 : `${barAt(0) - BAR / 2 - NAME}px`;
    return table;
  }
}
