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
    const lead = (to) => buttons.forEach((button, k) => (button.tabIndex = k === to ? 0 : -1));
    lead(0);
    buttons.forEach((button, k) => {
      button.addEventListener("focus", () => lead(k));
      button.addEventListener("keydown", (event) => {
        if (!isAlone(event)) return;
        const goal = { ArrowUp: k - 1, ArrowDown: k + 1, Home: 0, End: buttons.length - 1 }[event.key];
        if (goal === undefined) return;
        event.preventDefault();
        buttons[Math.max(0, Math.min(goal, buttons.length - 1))].focus();
      });
    });
  }
}

function bar(length, k) {
  const span = make("span", { className: `tm-bar ${k ? "tm-striped" : "tm-solid"}` });
  span.style.setProperty("--share", length);
  return span;
}
