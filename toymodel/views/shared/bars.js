// Grids with two bars in each row, a solid and a striped one, beside the row's name. The numbers stand in the cells.

class Bars extends Grids {
  head(grid) {
    const tr = super.head(grid);
    const key = (words, k) => [make("span", { className: "tm-key" }, bar(1, k), words), " "];
    tr.firstChild.after(make("th", { scope: "col", className: "tm-left" }, ...grid.keys.flatMap(key), grid.scale));
    return tr;
  }

  rows(grid) {
    const trs = super.rows(grid);
    trs.forEach((tr, k) => {
      tr.firstChild.after(make("td", { className: "tm-bars" }, ...grid.rows[k].bars.map(bar)));
    });
    if (grid.choosable) this.makeChoosable(trs, grid);
    return trs;
  }

  // The name of each row becomes a button. The Tab key leads to one of them, arrow keys to the others.
  makeChoosable(trs, grid) {
    const buttons = trs.map((tr, k) => {
      const button = press([...tr.firstChild.childNodes], `choice ${k}`, () => this.pick(grid, k));
      if (grid.rows[k].chosen) button.append(aloud(` ${this.labels.picked}`));
      tr.firstChild.append(button);
      return button;
    });
    roving(buttons, ["ArrowUp", "ArrowDown"]);
  }
}

function bar(length, k) {
  const span = make("span", { className: `tm-bar ${k ? "tm-striped" : "tm-solid"}` });
  span.style.setProperty("--share", length);
  return span;
}
