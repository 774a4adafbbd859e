// Shows that a control here reaches Python, and that Python's answer comes back.

function render({ model, el }) {
  const controls = new Controls(model);
  controls.slider("number", { min: 0, max: 12, step: 1 });
  const answer = make("p", { role: "status" });
  const versions = make("p");

  const draw = (state) => {
    say(answer, state.answer);
    versions.textContent = state.versions;
  };
  return mount({ model, el }, controls, [answer, versions], draw);
}

export default { render };
