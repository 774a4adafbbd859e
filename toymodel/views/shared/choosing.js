// The sentence, and what a next token is chosen with. Returns what shows the values as text.

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
