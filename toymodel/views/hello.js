// Shows that a control here reaches Python, and that Python's answer comes back.

function render({ model, el }) {
  const labels = model.get("labels");
  const number = make("input", { type: "range", min: 0, max: 12, step: 1 });
  const releases = [
    connect(model, "number", number, "input", () => Number(number.value), (value) => (number.value = value)),
  ];
  const panel = make("div", { className: "tm-controls" }, make("label", {}, labels.number, number));
  const answer = make("p", { role: "status" });
  const versions = make("p", {});

  const draw = (state) => {
    answer.textContent = state.answer;
    versions.textContent = state.versions;
  };
  return mount({ model, el }, "tm-hello", panel, [answer, versions], draw, releases);
}

export default { render };
