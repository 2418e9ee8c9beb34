// The front as parallel coordinates: one axis per error, one line per operating point. Dragging along an axis limits
// that error; the sliders of the explorer do the same from the keyboard.
polyroc.parallel = function (element, change) {
  const HEIGHT = 320, TOP = 34, BOTTOM = 30, SIDE = 40, FAR = 4; // pixels; and lines of text above
  const { css } = polyroc;
  const canvases = [0, 1].map(() => polyroc.make("canvas", {}));
  const box = polyroc.make("div", { class: "parallel", style: `height:${HEIGHT}px` }, ...canvases);
  element.replaceChildren(box);
  element.classList.add("wide");
  element.tabIndex = 0; // on a narrow screen it scrolls, which the arrow keys do if it has the focus
  let front = null, errors = [], most = [], limits = new Map(), chosen = null, dragged = null, waiting = false, later = null;

  const x = (a) => SIDE + (a * (box.clientWidth - 2 * SIDE)) / Math.max(1, errors.length - 1);
  const y = (a, rate) => HEIGHT - BOTTOM - (rate / most[a]) * (HEIGHT - TOP - BOTTOM);
  const rateAt = (a, top) => Math.min(most[a], Math.max(0, ((HEIGHT - BOTTOM - top) / (HEIGHT - TOP - BOTTOM)) * most[a]));
  const rate = (i, [k, m]) => front.rates[i * front.c * front.c + k * front.c + m];
  const limit = ([k, m]) => limits.get(`${k},${m}`);
  const kept = (i) => errors.every((error) => limit(error) === undefined || rate(i, error) <= limit(error) + 1e-12);

  function fresh(canvas) {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = box.clientWidth * ratio;
    canvas.height = HEIGHT * ratio;
    canvas.style.width = `${box.clientWidth}px`;
    canvas.style.height = `${HEIGHT}px`;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    return pen;
  }

  function trace(pen, of) {
    errors.forEach((error, a) => pen[a ? "lineTo" : "moveTo"](x(a), y(a, Math.min(most[a], of(error)))));
  }

  function lines(pen) {
    pen.lineWidth = 1;
    for (const [wanted, colour] of [[false, polyroc.faint("#888888", 0.1)], [true, polyroc.faint(polyroc.colour(0), Math.max(0.03, Math.min(0.5, 60 / front.points)))]]) {
      pen.strokeStyle = colour;
      for (let i = 0; i < front.points; i++) {
        if (kept(i) !== wanted) continue;
        pen.beginPath();
        trace(pen, (error) => rate(i, error));
        pen.stroke();
      }
    }
  }

  function short(pen, text, width) {
    if (pen.measureText(text).width <= width) return text;
    let n = text.length;
    while (n > 1 && pen.measureText(text.slice(0, n) + "…").width > width) n--;
    return text.slice(0, n) + "…";
  }

  function axes(pen) {
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "center";
    const width = errors.length > 1 ? x(1) - x(0) - 6 : 200;
    errors.forEach(([k, m], a) => {
      pen.strokeStyle = css("--soft");
      pen.fillStyle = css("--ink");
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(x(a), TOP);
      pen.lineTo(x(a), HEIGHT - BOTTOM);
      pen.stroke();
      pen.fillText(short(pen, polyroc.data.classes[k], width), x(a), 12);
      pen.fillText(short(pen, "→ " + polyroc.data.classes[m], width), x(a), 26);
      pen.fillStyle = css("--soft");
      pen.fillText("0", x(a), HEIGHT - BOTTOM + 14);
      pen.textAlign = "left";
      pen.fillText(most[a].toFixed(2), x(a) + 13, TOP + 4);
      pen.textAlign = "center";
    });
  }

  // The parts that change: the limits and the selected point.
  function over() {
    waiting = false;
    const pen = fresh(canvases[1]);
    errors.forEach((error, a) => {
      const top = y(a, Math.min(most[a], limit(error) === undefined ? most[a] : limit(error)));
      pen.fillStyle = css("--ink");
      pen.fillRect(x(a) - 11, top - 2, 22, FAR);
      if (limit(error) === undefined) return;
      pen.fillStyle = polyroc.faint("#888888", 0.25);
      pen.fillRect(x(a) - 4, TOP, 8, top - TOP);
    });
    pen.strokeStyle = polyroc.colour(1);
    pen.lineWidth = 3;
    pen.beginPath();
    trace(pen, ([k, m]) => chosen[k][m]);
    pen.stroke();
  }

  function all() {
    if (!front || !box.clientWidth) return;
    const pen = fresh(canvases[0]);
    lines(pen);
    axes(pen);
    over();
  }

  function axisAt(event) {
    const left = event.clientX - box.getBoundingClientRect().left;
    const near = errors.map((_, a) => Math.abs(x(a) - left));
    const a = near.indexOf(Math.min(...near));
    return near[a] < 24 ? a : null;
  }

  function drag(event) {
    const [k, m] = errors[dragged];
    const rate = rateAt(dragged, event.clientY - box.getBoundingClientRect().top);
    change(k, m, rate >= most[dragged] - 1e-9 ? null : Number(rate.toFixed(4)));
  }
  box.addEventListener("pointerdown", (event) => {
    dragged = front && event.pointerType !== "touch" ? axisAt(event) : null; // touch scrolls the page; the sliders work instead
    if (dragged === null) return;
    box.setPointerCapture(event.pointerId);
    drag(event);
  });
  box.addEventListener("pointermove", (event) => {
    if (dragged !== null) drag(event);
    else box.style.cursor = front && axisAt(event) !== null ? "ns-resize" : "default";
  });
  for (const name of ["pointerup", "pointercancel"]) box.addEventListener(name, () => { dragged = null; });
  new ResizeObserver(() => all()).observe(box);
  polyroc.figures.push({ element, shown: true, redraw: all, draw: all });

  return {
    show(next, terms, rates) {
      const same = next === front && JSON.stringify([...terms]) === JSON.stringify([...limits]);
      front = next;
      limits = new Map(terms);
      chosen = rates;
      errors = [];
      for (let k = 0; k < front.c; k++) for (let m = 0; m < front.c; m++) if (k !== m) errors.push([k, m]);
      box.style.minWidth = `${errors.length * 62}px`;
      if (!same) {
        most = errors.map((error) => {
          let high = 0;
          for (let i = 0; i < front.points; i++) high = Math.max(high, rate(i, error));
          return high || 1;
        });
      }
      if (!same) { // drawing thousands of lines would delay the slider
        clearTimeout(later);
        later = setTimeout(all, canvases[0].width > 300 ? 120 : 0); // 300: never drawn
      }
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(over);
    },
  };
};
