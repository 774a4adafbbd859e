// Tokens of any text side by side, each in a frame, with its id below it; what was made just now stands out.

function pieces(tokens, labels, { ids = [], made = null } = {}) {
  const piece = (text, k) => {
    const isMade = text === made;
    const item = make("li", { className: isMade ? "tm-made" : "" }, write({ token: text, lang: "" }, labels));
    if (k in ids) item.append(" ", make("span", { className: "tm-id" }, ids[k]));
    if (isMade) item.append(aloud(` ${labels.made}`));
    return item;
  };
  return make("ol", { className: "tm-pieces" }, ...tokens.map(piece));
}
