// Draws what laboratory.py computed: a column for each token, phases downwards; in little room, a row for each token.
// No number is made here, and no word.

const NARROW = 640; // px of the view
const [BAR, HIGH, LOW] = [14, 64, 44]; // of a number of a value; of the boxes of values and scores

function render({ model, el }) {
  const begin = model.get("state");
  const labels = model.get("labels");
  const controls = new Controls(model);
  controls.text("text", "");
  if (begin.heads.length) controls.radios("n_heads", begin.heads);
  if (begin.masks) controls.checkbox("causal");
  const showHeads = controls.select("head");
  controls.checkbox("show_qkv");
  controls.checkbox("show_scores");
  controls.checkbox("show_weights");
  controls.checkbox("show_future");
  controls.checkbox("show_heads");
  const phases = new Phases(model, controls);
  const sentence = make("p", { className: "tm-place", role: "status" });
  const picture = new HeadPicture(model);
  const sum = new WrittenOut(model);
  const product = new Grids(model);
  const added = new Grids(model, ({ name }, _row, column) => send(model, { written: name, column }));

  const draw = (state) => {
    showHeads(state.of_heads.map((_, k) => String(k)), state.head);
    phases.draw(state.phases.map(([name]) => name));
    sentence.replaceChildren(...writeAll(state.sentence, labels));
    picture.draw(state);
    product.draw(state.product);
    sum.element.hidden = !state.sum;
    if (state.sum) sum.draw(state.sum);
    added.draw(state.added);
  };
  const beside = make("div", { className: "tm-beside" }, sum.element, product.element);
  const parts = [phases.element, sentence, picture.element, beside, added.element];
  return mount({ model, el }, controls, parts, draw, () => picture.isStale());
}

class HeadPicture {
  constructor(model) {
    this.model = model;
    this.labels = model.get("labels");
    this.element = make("div", { className: "tm-scroll tm-head-picture", "data-focus": "picture" });
    this.element.dataset.name = this.labels.phase;
  }

  get room() {
    return this.element.clientWidth;
  }

  isStale() {
    return this.room !== this.drawnFor;
  }

  draw(state) {
    this.drawnFor = this.room;
    const [qkv, scores, weights, future, heads] = state.shown;
    this.state = state;
    this.isThere = [true, qkv, scores, scores, weights, weights, heads].map((it, k) => it && k < state.phase);
    const isNarrow = this.room < NARROW;
    const seen = state.letters.map((it, i) => [it, i]).filter(([it]) => future || !it.hidden);
    const names = make("div", { className: "tm-names" }, ...state.phases.slice(0, 6).map((it, k) => this.name(it, k)));
    const all = make("ol", { className: "tm-letters" }, ...seen.map(([it, i]) => this.letter(it, i)));
    const grid = make("div", { className: isNarrow ? "tm-by-row" : "tm-by-column" }, ...(isNarrow ? [] : [names]), all);
    grid.style.setProperty("--n", seen.length);
    const below = this.isThere[5] ? [this.mix(seen, isNarrow)] : [];
    this.element.replaceChildren(grid, ...below, ...(this.isThere[6] ? [this.heads()] : []));
    const rows = ["letter", "key", "score", "weight"];
    for (const it of rows) this.rove([...this.element.querySelectorAll(`[data-focus^="${it} "]`)]);
  }

  rove(buttons) {
    const at = buttons.findIndex((it) => it.getAttribute("aria-pressed") === "true");
    if (buttons.length) roving(buttons, ["ArrowLeft", "ArrowRight"], Math.max(0, at));
  }

  name([name, words], k) {
    return make("div", { className: `tm-cell tm-cell-${k}` }, make("strong", {}, `${k + 1} ${name}`), make("small", {}, words));
  }

  letter(it, i) {
    const { query, written } = this.state;
    const isQuery = i === query;
    const chip = this.pressed([write(it.token, this.labels)], `letter ${i}`, isQuery, { query: i });
    const place = make("small", {}, it.note);
    const cells = [[chip, place], this.marks(it, i, isQuery), this.score(it, i), [make("small", {}, it.mask)], this.weight(it, i), this.value(it)];
    const cell = (parts, k) => make("div", { className: `tm-cell tm-cell-${k}` }, ...(this.isThere[k] ? parts : []));
    const wall = it.hidden && !this.state.letters[i - 1]?.hidden ? " tm-wall" : "";
    return make("li", { className: `tm-letter${it.hidden ? " tm-hidden" : ""}${wall}` }, ...cells.map(cell));
  }

  pressed(parts, focus, isPressed, values) {
    const button = press(parts, focus, () => send(this.model, values));
    button.setAttribute("aria-pressed", isPressed);
    return button;
  }

  isWritten(name, i) {
    const [written, key] = this.state.written;
    return written === name && key === i;
  }

  marks(it, i, isQuery) {
    const mark = (name) => make("span", { className: `tm-mark tm-mark-${name}` }, name);
    const key = this.pressed(["k"], `key ${i}`, this.isWritten("dots", i), { written: "dots", key: i });
    key.classList.add("tm-mark", "tm-mark-k");
    if (it.hidden) return [mark("k"), mark("v")];
    return [...(isQuery ? [mark("q")] : []), key, mark("v")];
  }

  score(it, i) {
    if (it.hidden) return [make("small", {}, this.labels.no_score)];
    const [text, size] = it.score;
    const bar = standingBars([size], [], this.state.score_sizes, { room: LOW, wide: 72 });
    return [bar, this.pressed([text], `score ${i}`, this.isWritten("scores", i), { written: "scores", key: i })];
  }

  weight(it, i) {
    if (it.hidden) return [make("small", {}, this.labels.no_weight)];
    const [text, size] = it.weight;
    return [level(size), this.pressed([text], `weight ${i}`, this.isWritten("pattern", i), { written: "pattern", key: i })];
  }

  get sizes() {
    const { letters, mix } = this.state;
    return [...letters.flatMap(({ value = [] }) => value), ...mix];
  }

  value(it) {
    if (it.hidden) return [];
    const bars = standingBars(it.value, it.read, this.sizes, { room: HIGH, wide: BAR, className: "tm-dashed" });
    return [bars, make("small", {}, `${it.weight[0]} × v`)];
  }

  // What all letters give, brought together: ribbons as wide as the weights, and the sum.
  mix(seen, isNarrow) {
    const { letters, mix } = this.state;
    const bars = standingBars(mix, mix, this.sizes, { room: HIGH, wide: BAR });
    const words = make("small", {}, this.labels.mixed);
    if (isNarrow) return make("div", { className: "tm-mix" }, bars, words);
    const svg = makeSvg("svg", { "aria-hidden": "true", class: "tm-gather", height: GATHER });
    const { width, bands } = ribbonsIn([seen.map(([{ weight }]) => weight?.[1] ?? 0)], 1000);
    svg.setAttribute("viewBox", `0 0 ${width} ${DEEP}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.append(...bands.map((band) => makeSvg("path", { d: falling(band) })));
    return make("div", { className: "tm-mix" }, svg, bars, words);
  }

  // Every head's weights for the same query, each a button to its head; and which query finds heads of one mind.
  heads() {
    const { of_heads, letters, head, agree } = this.state;
    const row = ([text, size], i) =>
      make("li", {}, make("span", {}, write(letters[i].token, this.labels)), level(size), make("span", {}, text));
    const panel = (weights, k) => {
      const shown = weights.map((it, i) => [it, i]).filter(([, i]) => !letters[i].hidden);
      const button = this.pressed([`${this.labels.head} ${k}`], `head ${k}`, k === head, { head: k });
      return make("li", { className: k === head ? "tm-here" : "" }, button, make("ol", {}, ...shown.map(([it, i]) => row(it, i))));
    };
    const said = make("p", {}, ...writeAll(agree.said, this.labels));
    const count = (text, i) => this.pressed([write(letters[i].token, this.labels), ` ${text}`], `mind ${i}`, i === this.state.query, { query: i });
    const minds = make("p", { className: "tm-minds" }, `${this.labels.alike} `, ...agree.counts.map(count));
    return make("div", { className: "tm-heads" }, make("ul", {}, ...of_heads.map(panel)), said, minds);
  }
}

const GATHER = 46; // px

export default { render };
