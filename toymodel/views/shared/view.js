// A view as a whole: what it is put together from, and what stays as it was when it is drawn anew.

const FOCUSABLE = "button, input, textarea, select, summary, [tabindex]";

// What is too wide for its place scrolls by itself: then the keyboard must be able to reach it, under a name.
function letScroll(el) {
  for (const box of el.querySelectorAll(".tm-scroll")) {
    const scrolls = box.scrollWidth > box.clientWidth;
    for (const [attribute, value] of [["role", "group"], ["aria-label", box.dataset.name], ["tabindex", "0"]])
      if (scrolls) box.setAttribute(attribute, value);
      else box.removeAttribute(attribute);
  }
}

// How to scroll what has been drawn anew as far as it was, and then to the picked cell, which its row's name may cover.
function scrolledIn(el) {
  const boxes = () => [...el.querySelectorAll(".tm-scroll[data-focus]")];
  const was = new Map(boxes().map((box) => [box.dataset.focus, box.scrollLeft]));
  return () => {
    for (const box of boxes()) {
      box.scrollLeft = was.get(box.dataset.focus) ?? 0;
      const td = box.querySelector("td.tm-picked");
      if (!td) continue;
      const least = td.offsetLeft + td.offsetWidth - box.clientWidth;
      const most = td.offsetLeft - td.parentElement.firstChild.offsetWidth;
      box.scrollLeft = Math.max(least, Math.min(box.scrollLeft, most));
    }
  };
}

// How to give the focus back to what has it now, when that has been drawn anew: to what bears the same name in
// `data-focus` ("input 2", or else the same first word; of the ways back, the last: it leads back by one), and there to
// the cell in the same row and column.
function focusIn(el) {
  const active = el.getRootNode().activeElement;
  const name = el.contains(active) && active.closest("[data-focus]")?.dataset.focus;
  if (!name) return () => {};
  const td = active.matches("td") ? active : null;
  const [row, column] = [td?.parentElement.rowIndex, td?.cellIndex];
  return () => {
    // A cell gives way to a cell: some grids are only there to be read.
    const named = [...el.querySelectorAll("[data-focus]")].filter((it) => !td || it.querySelector("[role='grid']"));
    const alike = named.filter((it) => it.dataset.focus.split(" ")[0] === name.split(" ")[0]);
    const closest = alike.find((it) => !it.dataset.focus.startsWith("ways trail")) ?? alike.at(-1);
    const there = named.find((it) => it.dataset.focus === name) ?? closest;
    const cell = td && there?.querySelector("table").rows[row]?.cells[column];
    (cell ?? (td && there?.querySelector("[tabindex='0']")) ?? there)?.focus();
  };
}

// A kernel that was restarted or stopped answers no more. (JupyterLab tells the one way, Notebook 7 the other.)
function whenGone(model, tell) {
  const changed = model.widget_manager?.context?.sessionContext?.kernelChanged;
  model.on("comm_live_update", tell);
  changed?.connect(tell);
  return () => {
    model.off("comm_live_update", tell);
    changed?.disconnect(tell);
  };
}

// Put a view together: its controls, the place for a problem, what it draws. Returns how to take it down again.
// `isStale` says whether what is drawn is for another width than there is now.
function mount({ model, el }, controls, parts, draw, isStale = () => false) {
  const problem = make("p", { className: "tm-problem", role: "alert" });
  el.classList.add("tm-view");
  el.append(controls.element, problem, ...parts);
  el.addEventListener("keydown", (event) => event.stopPropagation()); // else JupyterLab begins no new line in a box
  const redraw = () => {
    const [scrollBack, giveBack] = [scrolledIn(el), focusIn(el)];
    draw(model.get("state"));
    scrollBack();
    letScroll(el);
    // Notebook 7 would take the arrow keys away: it looks for this attribute on the very element that has the focus.
    for (const it of el.querySelectorAll(FOCUSABLE)) it.dataset.lmSuppressShortcuts = "true";
    giveBack();
  };
  const complain = () => problem.replaceChildren(...quoting(model.get("problem")));
  model.on("change:state", redraw);
  model.on("change:problem", complain);
  const labels = model.get("labels");
  const stopWaiting = whenGone(model, () => (problem.textContent = labels.gone));
  const resized = new ResizeObserver(() => (isStale() ? redraw() : letScroll(el)));
  resized.observe(el);
  redraw();
  complain();
  return () => {
    controls.releases.forEach((release) => release());
    stopWaiting();
    resized.disconnect();
    model.off("change:state", redraw);
    model.off("change:problem", complain);
  };
}
