// The controls of what a next token is chosen with. Each returns what shows their values as text.

function choosing(controls) {
  controls.text("text");
  const showTemperature = controls.slider("temperature", { min: 0, max: 3, step: 0.1 });
  const showTopK = controls.slider("top_k", { min: 1, step: 1 });
  const showTopP = controls.slider("top_p", { min: 0.05, max: 1, step: 0.05 });
  return ({ temperature, top_k, top_p, of }) => {
    showTemperature(temperature);
    showTopK(top_k, of);
    showTopP(top_p);
  };
}

function seeding(controls) {
  const { model, labels, element } = controls;
  const beside = make("span", { className: "tm-degrees" });
  const again = press(labels.again, "again", () => send(model, { seed: model.get("seed") + 1 }));
  element.append(make("span", {}, again, beside));
  return ({ seed }) => say(beside, seed);
}
