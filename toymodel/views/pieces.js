// Tokens side by side, each in a frame.

function pieces(all, labels) {
  const piece = ({ token, below, made }) => {
    const item = make("li", { className: made ? "tm-made" : "" }, write(token, labels));
    if (below) item.append(" ", make("span", { className: "tm-id" }, below));
    if (made) item.append(aloud(` ${labels.made}`));
    return item;
  };
  return make("ol", { className: "tm-pieces" }, ...all.map(piece));
}
