// A picture that is told in phases: Play or Pause, Back, Next, and a button for each. Which one is a trait, `phase`.

const PAUSE = 1400; // ms to read a phase that is played

// Where a button leads to, of `last` phases that count from 1.
const phaseAfter = (phase, step, last) => Math.max(1, Math.min(phase + step, last));

class Phases {
  constructor(model, controls) {
    this.model = model;
    this.labels = model.get("labels");
    [this.playing, this.timer] = [false, null];
    controls.when("change:problem", () => this.pause()); // what was refused draws nothing
    controls.releases.push(() => this.pause());
    this.play = press("", "play", () => (this.playing ? this.pause() : this.begin()));
    this.back = press(this.labels.back, "back", () => this.go(-1));
    this.on = press(this.labels.next, "next", () => this.go(1));
    this.steps = make("ol", { className: "tm-phases", "aria-label": this.labels.phase });
    this.element = make("div", {}, make("div", { className: "tm-controls" }, this.play, this.back, this.on), this.steps);
  }

  get phase() {
    return this.model.get("phase");
  }

  go(step) {
    this.pause();
    send(this.model, { phase: phaseAfter(this.phase, step, this.last) });
  }

  // From the first phase on, where it stands at the last.
  begin() {
    this.playing = true;
    if (this.phase === this.last) send(this.model, { phase: 1 });
    else this.wait();
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => send(this.model, { phase: phaseAfter(this.phase, 1, this.last) }), PAUSE);
    this.say();
  }

  pause() {
    clearTimeout(this.timer);
    this.playing = false;
    this.say();
  }

  say() {
    this.play.textContent = this.playing ? this.labels.pause : this.labels.play;
  }

  draw(names) {
    this.last = names.length;
    const step = (name, k) => {
      const button = press(`${k + 1} ${name}`, `phase ${k}`, () => this.go(k + 1 - this.phase));
      if (k + 1 === this.phase) button.setAttribute("aria-current", "step");
      return make("li", {}, button);
    };
    this.steps.replaceChildren(...names.map(step));
    roving([...this.steps.querySelectorAll("button")], ["ArrowLeft", "ArrowRight"], this.phase - 1);
    allow(this.back, this.phase === 1 ? this.labels.first : "");
    allow(this.on, this.phase === this.last ? this.labels.last : "");
    if (this.playing && this.phase < this.last) this.wait(); // the answer has come: so a stopped kernel ends it, too
    else this.pause();
  }
}
