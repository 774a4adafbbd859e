// Tokens side by side, each in a frame.

function pieces(all, labels) {
  const piece = ({ token, below = "", flag }) => {
    const item = make("li", { className: flag ? `tm-${flag}` : "" }, write(token, labels));
    if (below) item.append(" ", make("span", { className: "tm-id" }, below));
    if (flag) item.append(aloud(` ${labels[flag]}`));
    return item;
  };
  return make("ol", { className: "tm-pieces" }, ...all.map(piece));
}
