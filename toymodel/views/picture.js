// The picture of the path: blocks on the tokens' lanes, ribbons between them, bars at the end.

const HEADS = 4; // the places of blocks that are drawn in a way of their own
const QKV = 3;
const STREAMS = [1, 7, 11];
const MLP = 9;
const KINDS = ["q", "k", "v"];
const THICK = 12; // of the ribbon of a weight of 1
const LEAST = 480; // in less width the picture becomes a list

function makeSvg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function stroke(d, className, width) {
  return makeSvg("path", { d, class: className, style: width === undefined ? "" : `stroke-width: ${width}` });
}

class Picture {
  constructor(model, { open, pick, follow }) {
    this.model = model;
    this.labels = model.get("labels");
    Object.assign(this, { open, follow });
    this.grids = new Grids(model, pick);
    this.element = make("div", { className: "tm-path" });
    this.scroll = make("div", { className: "tm-lanes" }, this.element);
    this.tokens = make("div", { className: "tm-tokens" });
    this.bars = make("div");
    const parts = [this.tokens, this.scroll, this.bars];
    this.all = make("div", { className: "tm-picture", role: "group", ariaLabel: this.labels.path }, ...parts);
  }

  draw(state, opened, row) {
    this.isList = this.all.clientWidth > 0 && this.all.clientWidth < LEAST;
    this.all.classList.toggle("tm-list", this.isList);
    this.tokens.replaceChildren(...state.tokens.map((token, i) => this.token(token, i, i === row)));
    this.bars.replaceChildren(this.barTable(state));
    const room = (this.room = this.scroll.clientWidth);
    const at = state.blocks.findIndex((block) => block.steps.includes(opened));
    const place = this.place(state, at, room);
    const buttons = state.blocks.map((block, k) => this.button(block, k, k === at, place));
    this.rove(buttons, at);
    const grids = this.opened(state, at, place);
    if (this.isList) {
      const items = buttons.flatMap((button, k) => (k === at ? [button, grids] : [button]));
      this.element.replaceChildren(...items);
      this.element.removeAttribute("style");
      this.scroll.scrollLeft = 0;
    } else {
      this.element.replaceChildren(this.svg(state, at, row, place), ...buttons, grids);
      Object.assign(this.element.style, { width: `${place.width}px`, height: `${place.height}px` });
      const { x, width } = place.blocks[at];
      if (width) this.scroll.scrollLeft = x + width / 2 - room / 2;
    }
  }

  // Whether it was drawn for another width.
  isStale() {
    return this.room !== this.scroll.clientWidth;
  }

  place({ blocks, tokens, bars }, at, room) {
    const shapes = blocks.map(({ cells }, k) => ({
      columns: cells.map((rows) => rows[0].length),
      isOpen: k === at,
      cards: k === HEADS ? this.model.get("n_heads") : 1,
    }));
    const placed = layout(shapes, tokens.length, room, bars.rows.length);
    return { ...placed, left: (k) => placed.blocks[k].x, right: (k) => placed.blocks[k].x + placed.blocks[k].width };
  }

  token(token, i, isFollowed) {
    const button = make("button", { type: "button", className: "tm-token" }, write({ token }, this.labels));
    button.setAttribute("aria-pressed", isFollowed);
    button.dataset.focus = `token ${i}`;
    if (!this.isList && i === 0) button.style.marginTop = `${laneAt(0) - LANE / 2}px`;
    button.addEventListener("click", () => this.follow(i));
    return button;
  }

  button(block, k, isOpen, { left, right, bottom }) {
    const name = make("span", { className: "tm-name" }, block.name);
    const shape = make("span", { className: "tm-shape" }, `${block.symbol} ${block.shape}`);
    const button = make("button", { type: "button", className: "tm-block" }, name, shape);
    button.setAttribute("aria-expanded", isOpen);
    button.dataset.focus = `block ${k}`;
    if (block.changed.length) button.append(aloud(` ${this.labels.changed}`));
    button.addEventListener("click", () => this.open(block.steps[0]));
    if (this.isList) return button;
    const top = isOpen ? bottom : TOP; // an open block leaves the lanes to its matrix
    const places = { left: left(k) - 12, top, width: right(k) - left(k) + 24, paddingTop: bottom - top + 4 };
    for (const [name, pixels] of Object.entries(places)) button.style[name] = `${pixels}px`;
    return button;
  }

  // The Tab key leads to one block, the arrow keys to the others.
  rove(buttons, at) {
    buttons.forEach((button, k) => {
      button.tabIndex = k === at ? 0 : -1;
      button.dataset.lmSuppressShortcuts = "true";
      button.addEventListener("keydown", (event) => {
        const last = buttons.length - 1;
        const steps = { ArrowRight: k + 1, ArrowDown: k + 1, ArrowLeft: k - 1, ArrowUp: k - 1, Home: 0, End: last };
        if (!(event.key in steps)) return;
        event.preventDefault();
        buttons[Math.max(0, Math.min(steps[event.key], last))].focus();
      });
    });
  }

  // The open step's matrices, on the lanes.
  opened({ lines, blocks }, at, place) {
    const shown = blocks[at].keys.map((key) => lines.flat().find((it) => it.key === key)).filter(Boolean);
    this.grids.draw(shown.map((grid) => ({ ...grid, name: `${grid.name} on the lanes` })));
    const element = this.grids.element;
    element.classList.add("tm-open");
    if (this.isList) element.removeAttribute("style");
    else Object.assign(element.style, { left: `${place.blocks[at].x}px`, bottom: `${place.height - place.bottom}px` });
    return element;
  }

  svg(state, at, row, place) {
    const parts = [
      ...state.tokens.flatMap((_, i) => this.lane(state, i, i === row ? " tm-row" : "", place)),
      ...state.tokens.flatMap((_, i) => this.heads(state, i, i === row ? " tm-row" : "", at === HEADS, place)),
      ...this.arcs(place),
      ...this.fan(state, row, place),
      ...state.blocks.flatMap((block, k) => this.block(block, k, k === at, place)),
    ];
    return makeSvg("svg", { width: place.width, height: place.height, "aria-hidden": "true" }, ...parts);
  }

  // A token's lane from block to block; before and after the MLP it is twice as wide as in the stream.
  lane({ blocks }, i, isRow, { left, right }) {
    const parts = [stroke(curve(0, laneAt(i), left(0), laneAt(i)), `tm-flow${isRow}`)];
    for (let k = 0; k < blocks.length - 1; k++) {
      if (k === QKV || k === HEADS) continue;
      const [w0, w1] = [k === MLP ? 16 : 8, k + 1 === MLP ? 16 : 8];
      parts.push(stroke(band(right(k), laneAt(i), w0, left(k + 1), laneAt(i), w1), `tm-lane${isRow}`));
    }
    return parts;
  }

  // A token's query enters the head from the left, its key from above, its value passes to the right side; from there
  // the values that it reads come in, as thick as their weights.
  heads({ weights }, i, isRow, isOpen, { left, right }) {
    const [x, y] = [right(QKV), laneAt(i)];
    const column = left(HEADS) + PAD + (i + 0.5) * (isOpen ? CELL : MINI);
    const reads = weights[i].map((weight, j) => {
      const way = curve(right(HEADS), laneAt(j), left(HEADS + 1), y);
      return stroke(way, `tm-flow tm-v tm-weight${isRow}`, Number(weight) * THICK);
    });
    return [
      stroke(curve(x, y - 6, left(HEADS), y), `tm-flow tm-q${isRow}`),
      stroke(over(x, y, column, isOpen ? TOP - 26 : TOP), `tm-flow tm-k${isRow}`),
      stroke(curve(x, y + 6, right(HEADS), y), `tm-flow tm-v${isRow}`),
      ...reads,
    ];
  }

  arcs({ left, right }) {
    const [x, h, y] = STREAMS.map((k) => (left(k) + right(k)) / 2);
    return [stroke(arc(x, h, TOP - 4, 44), "tm-arc"), stroke(arc(h, y, TOP - 4, 30), "tm-arc")];
  }

  // From the followed lane to the bars.
  fan({ bars, blocks }, row, { right, width }) {
    const start = right(blocks.length - 1);
    const isBest = (i) => (i === bars.best ? " tm-row" : "");
    return bars.rows.map((_, i) => stroke(curve(start, laneAt(row), width, barAt(i)), `tm-flow tm-out${isBest(i)}`));
  }

  // A closed block shows its numbers as shades; the heads are cards, one behind the other.
  block(block, k, isOpen, { left, right, bottom }) {
    const cards = k === HEADS && !isOpen ? this.model.get("n_heads") : 1;
    const [x, height, width] = [left(k), bottom - TOP, right(k) - left(k) - (cards - 1) * CARD];
    const parts = [];
    for (let card = cards - 1; card >= 0; card--)
      parts.push(makeSvg("rect", { class: "tm-card", x: x + card * CARD, y: TOP - card * 4, width, height, rx: 5 }));
    if (!isOpen) parts.push(...this.shades(block, k, x + PAD));
    const dot = (i) => makeSvg("circle", { class: "tm-dot", cx: x - 4, cy: laneAt(i), r: 3 });
    return [...parts, ...block.changed.map(dot)];
  }

  shades({ cells, full }, k, x) {
    let start = x;
    return cells.flatMap((rows, j) => {
      const kind = k === QKV ? ` tm-${KINDS[j]}` : "";
      const shade = (text, i, c) => {
        const look = `tm-mini${kind}${text.startsWith("-") ? " tm-below" : ""}`;
        const place = { x: start + c * MINI, y: laneAt(i) - 9, width: MINI - 1, height: 18 };
        return makeSvg("rect", { class: look, style: `--share: ${share(text, full)}`, ...place });
      };
      const shades = rows.flatMap((row, i) => row.map((text, c) => shade(text, i, c)));
      start += rows[0].length * MINI + 2 * PAD;
      return shades;
    });
  }

  // The tokens that could come next: bars with their probabilities, and with what these were before the last change.
  barTable({ bars }) {
    const { labels } = this;
    const rows = bars.rows.map(([token, now, before], i) => {
      const bar = make("td", { className: "tm-bar" }, make("span", {}, now));
      bar.style.setProperty("--share", now);
      if (now !== before) bar.append(make("span", { className: "tm-was" }, ` ${labels.was} ${before}`));
      const name = make("th", { scope: "row" }, write({ token }, labels));
      return make("tr", { className: i === bars.best ? "tm-best" : "" }, name, bar);
    });
    const caption = make("caption", { className: "tm-aloud" }, labels.bars);
    const table = make("table", { className: "tm-bars" }, caption, make("tbody", {}, ...rows));
    table.style.marginTop = this.isList ? 0 : `${barAt(0) - BAR / 2}px`;
    return table;
  }
}
