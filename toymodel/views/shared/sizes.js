// Sizes beside their numbers: a level from 0 to 1, and hollow or filled bars that stand on a line or hang from it. A
// size is a share of what is largest; the number itself stands beside it, so all this is hidden from a screen reader.

// A bar of `size`, from -1 to 1, in a box `room` high, whose line lies so that all `sizes` find room.
function standing(size, sizes, room) {
  const [high, low] = [Math.max(0, ...sizes), Math.max(0, ...sizes.map((it) => -it))];
  const unit = high + low ? room / (high + low) : 0;
  const line = high * unit;
  const height = Math.abs(size) * unit;
  return { line, y: size < 0 ? line : line - height, height };
}

// A row of such bars side by side: `inner` shares are drawn filled inside the `outer` ones.
function standingBars(outer, inner, sizes, { room, wide, className = "" }) {
  const width = wide * outer.length;
  const rect = (size, k, kind) => {
    const { y, height } = standing(size, sizes, room);
    const width = Math.min(wide - 4, 18);
    return makeSvg("rect", { x: wide * (k + 0.5) - width / 2, y, width, height: Math.max(height, 0.5), class: kind });
  };
  const { line } = standing(0, sizes, room);
  return makeSvg(
    "svg", { width, height: room, viewBox: `0 -1 ${width} ${room + 2}`, "aria-hidden": "true", class: `tm-standing ${className}` },
    makeSvg("line", { x1: 0, x2: width, y1: line, y2: line }),
    ...outer.map((size, k) => rect(size, k, "tm-outer")), ...inner.map((size, k) => rect(size, k, "tm-inner")),
  );
}

function level(share) {
  const filled = make("span", {});
  filled.style.setProperty("--share", share);
  return make("span", { className: "tm-share", "aria-hidden": "true" }, filled);
}
