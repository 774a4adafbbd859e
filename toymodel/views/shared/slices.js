// The controls of a view that trains: Start, Stop or Continue, Start again, a progress bar, and the step looked at.

class Slices {
  constructor(model, controls, step) {
    this.model = model;
    const labels = model.get("labels");
    this.run = press("", "run", () => send(model, { running: !model.get("state").running }));
    const anew = () => send(model, { restarts: model.get("restarts") + 1, running: true });
    this.bar = make("progress", {});
    this.progress = make("span", { className: "tm-degrees", "aria-hidden": "true" });
    const bar = make("label", {}, labels.progress, this.bar, this.progress);
    controls.element.append(this.run, press(labels.again, "again", anew), bar);
    this.showStep = controls.slider("n", { min: 0, max: model.get("state").trained, step, className: "tm-long" });
    this.said = make("p", { role: "status" });
  }

  draw(state) {
    this.showStep(state.step, state.trained);
    this.run.textContent = state.press;
    allow(this.run, state.full);
    this.bar.max = state.goal;
    this.bar.value = state.trained;
    this.progress.textContent = state.progress;
    say(this.said, state.said);
  }

  // By what Python has seen, never by what was sent: meanwhile the reader may have moved something else.
  askOn({ running, asked }) {
    if (running) send(this.model, { asked: asked + 1 });
  }
}
