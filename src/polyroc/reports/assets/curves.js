// ROC curves with bands, and a threshold that moves on all of them.
(function () {
  const curveData = polyroc.data.curves;
  if (!curveData) return;
  const { make, name, numbers, plain, share, digits } = polyroc;
  const MANY = 6; // panels; beyond, one at a time
  const panels = curveData.panels.map((panel) => ({ ...panel, curves: panel.curves.map(opened) }));
  const { BEST } = polyroc; // of more classifiers, those of the largest areas are drawn at first
  const every = [...new Set(panels.flatMap((panel) => panel.curves.map((curve) => curve.classifier)))];
  const best = polyroc.best(every, areaOf);
  let drawn = new Set(best);
  let chosen = panels.length > MANY ? [hardest()] : panels.map((_, i) => i);
  const even = curveData.grid[0] === 0 && curveData.grid[curveData.grid.length - 1] === 1; // probabilities
  const start = even && !panels[0].title ? 1 / polyroc.data.classes.length : 0.5;
  let threshold = curveData.grid[Math.floor(start * (curveData.grid.length - 1))];

  // The panel in which the areas are smallest, on average over the classifiers.
  function hardest() {
    const mean = (panel) => panel.curves.reduce((sum, curve) => sum + (curve.area[0] ?? 1), 0) / panel.curves.length;
    return panels.reduce((worst, panel, i) => (mean(panel) < mean(panels[worst]) ? i : worst), 0);
  }

  function areaOf(classifier) {
    const areas = panels.flatMap((panel) => panel.curves.filter((curve) => curve.classifier === classifier).map((curve) => curve.area[0] ?? 0));
    return areas.reduce((sum, area) => sum + area, 0) / areas.length;
  }
  const shownIn = (panel) => panel.curves.filter((curve) => drawn.has(curve.classifier));

  function opened(curve) {
    const band = curve.band && { x: numbers(curve.band.x), low: numbers(curve.band.low), high: numbers(curve.band.high) };
    return { ...curve, ...polyroc.points(curve), band };
  }

  // The last point whose threshold is not below the selected one: cases that score at least that are positive.
  function place(curve) {
    let i = 0;
    const at = Math.fround(threshold); // thresholds may be in single precision
    while (i + 1 < curve.thresholds.length && Math.fround(curve.thresholds[i + 1]) >= at) i++;
    return i;
  }

  function precision(curve, i) {
    const called = curve.prevalence * curve.tpr[i] + (1 - curve.prevalence) * curve.fpr[i];
    return called > 0 ? (curve.prevalence * curve.tpr[i]) / called : NaN;
  }

  // Figure spaces before the counts align the shares in a column.
  function of(rate, cases, width = 0) {
    if (cases === undefined) return share(rate);
    const label = `(${Math.round(rate * cases)} of ${cases})`;
    return `${share(rate)} ${label.padStart(width, "\u2007")}`;
  }

  function label(panel, curve, i) {
    const t = curve.thresholds[i] > 1e38 ? "above all scores" : digits(curve.thresholds[i], 4);
    const [negative, positive] = curve.cases || [];
    return [
      `<b>${plain(polyroc.data.classifiers[curve.classifier])}</b>, threshold ${t}`,
      `found of ${plain(panel.positive)}: ${of(curve.tpr[i], positive)}`,
      `false alarms of ${plain(panel.negative)}: ${of(curve.fpr[i], negative)}`,
      `right among those called: ${share(precision(curve, i))}`,
    ].join("<br>");
  }

  function traces(panel, at, n) {
    const x = `x${n || ""}`, y = `y${n || ""}`;
    const made = [];
    for (const curve of shownIn(panel)) {
      const colour = polyroc.colour(curve.classifier);
      const group = String(curve.classifier);
      if (curve.band && drawn.size <= BEST) {
        const there = [...curve.band.x], back = [...there].reverse();
        made.push({ x: there.concat(back), y: [...curve.band.low].concat([...curve.band.high].reverse()), fill: "toself", fillcolor: polyroc.faint(colour, 0.13), line: { width: 0 }, mode: "lines", hoverinfo: "skip", showlegend: false, legendgroup: group, xaxis: x, yaxis: y });
      }
      made.push({ x: curve.fpr, y: curve.tpr, mode: "lines", line: { color: colour, width: 2, dash: polyroc.dash(curve.classifier) }, name: plain(polyroc.data.classifiers[curve.classifier]), legendgroup: group, showlegend: at === 0, text: Array.from(curve.fpr, (_, i) => label(panel, curve, i)), hoverinfo: "text", xaxis: x, yaxis: y });
    }
    return made;
  }

  function precisionTraces(panel, n) {
    const made = [];
    for (const curve of shownIn(panel)) {
      const every = Array.from(curve.fpr, (_, i) => i).filter((i) => curve.tpr[i] > 0);
      const colour = polyroc.colour(curve.classifier);
      const common = { legendgroup: String(curve.classifier), showlegend: false, hoverinfo: "text", xaxis: `x${n}`, yaxis: `y${n}` };
      made.push({ ...common, x: every.map((i) => curve.tpr[i]), y: every.map((i) => precision(curve, i)), mode: "lines", line: { color: colour, width: 2, dash: polyroc.dash(curve.classifier) }, text: every.map((i) => label(panel, curve, i)) });
    }
    return made;
  }

  // The threshold on every curve of every panel; drawn as shapes, which move without redrawing the curves.
  function marks() {
    const made = [];
    const mark = (classifier, n, x, y) => made.push({ type: "circle", xref: `x${n}`, yref: `y${n}`, xsizemode: "pixel", ysizemode: "pixel", xanchor: x, yanchor: y, x0: -6, x1: 6, y0: -6, y1: 6, fillcolor: polyroc.colour(classifier), line: { color: polyroc.css("--paper"), width: 2 } });
    chosen.forEach((p, at) => shownIn(panels[p]).forEach((curve) => mark(curve.classifier, at ? at + 1 : "", curve.fpr[place(curve)], curve.tpr[place(curve)])));
    if (curveData.two) shownIn(panels[0]).forEach((curve) => curve.tpr[place(curve)] > 0 && mark(curve.classifier, 2, curve.tpr[place(curve)], precision(curve, place(curve))));
    return made;
  }

  const element = document.getElementById("curve-figure");
  // How the panels are arranged; `top` is for the legend, as high as it may become.
  function arrangement() {
    const count = chosen.length + (curveData.two ? 1 : 0);
    const width = polyroc.width(element), columns = Math.max(1, Math.min(count, 3, Math.floor(width / 280)));
    const rows = Math.ceil(count / columns), names = [...drawn].map((classifier) => polyroc.data.classifiers[classifier]);
    const across = Math.max(1, Math.floor((width - 80) / (48 + 7 * Math.max(...names.map((text) => text.length)))));
    const top = 38 + 19 * Math.ceil(names.length / across);
    return { rows, columns, top, height: Math.max(360, top - 16 + rows * Math.min(480, 50 + (0.86 * width) / columns)) };
  }
  function draw() {
    const shown = chosen.map((i) => panels[i]), { rows, columns, top } = arrangement();
    const layout = { grid: { rows, columns, pattern: "independent", xgap: 0.16, ygap: 0.24 }, annotations: [], shapes: marks(), legend: { orientation: "h", tracegroupgap: 0, yref: "container", y: 1, yanchor: "top", x: 0 }, margin: { l: 48, r: 12, t: top, b: 46 } };
    let parts = [];
    shown.forEach((panel, at) => {
      const n = at ? at + 1 : "";
      parts = parts.concat(traces(panel, at, n));
      layout[`xaxis${n}`] = polyroc.rate("false positive rate");
      layout[`yaxis${n}`] = polyroc.rate("true positive rate");
      layout.annotations.push({ text: plain(panel.title || `${panel.positive} or ${panel.negative}`), xref: `x${n} domain`, yref: `y${n} domain`, x: 0.5, y: 1.01, yanchor: "bottom", showarrow: false, font: { size: 12 } });
      parts.push(polyroc.chance({ xaxis: `x${n}`, yaxis: `y${n}` }));
    });
    if (curveData.two) {
      const n = shown.length + 1;
      parts = parts.concat(precisionTraces(shown[0], n));
      layout[`xaxis${n}`] = polyroc.rate("recall (true positive rate)");
      layout[`yaxis${n}`] = polyroc.rate("precision");
    }
    return { traces: parts, layout };
  }
  const figure = polyroc.figure(element, () => arrangement().height, draw);

  function table() {
    const heads = [panels[0].title ? "data set" : "class", panels[0].title ? "learner" : "classifier", "threshold", "true positive rate", "false positive rate", "precision", `area (${polyroc.percent})`];
    const body = make("tbody");
    const places = Math.max(...chosen.flatMap((p) => panels[p].curves.flatMap((curve) => curve.cases || [0]))).toString().length;
    const width = 2 * places + "( of )".length;
    chosen.forEach((p) => {
      for (const curve of shownIn(panels[p])) {
        const i = place(curve);
        const [negative, positive] = curve.cases || [];
        const area = `${digits(curve.area[0], 3)} (${digits(curve.area[1], 3)} to ${digits(curve.area[2], 3)})`;
        const cells = [digits(threshold, 4), of(curve.tpr[i], positive, width), of(curve.fpr[i], negative, width), share(precision(curve, i)), area];
        body.append(make("tr", {}, make("th", { scope: "row" }, name(panels[p].title || panels[p].positive)), make("td", { class: "brief" }, name(polyroc.data.classifiers[curve.classifier])), ...cells.map((text) => make("td", { class: "number" }, text))));
      }
    });
    const head = make("tr", {}, ...heads.map((text, i) => make("th", { scope: "col", class: i > 1 ? "number" : "" }, text)));
    document.getElementById("curve-rates").replaceChildren(make("caption", { class: "hidden" }, "Rates at the threshold"), make("thead", {}, head), body);
  }

  let waiting = false;
  function move() {
    table();
    if (!figure.shown || waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; Plotly.relayout(element, { shapes: marks() }); });
  }

  const controls = document.getElementById("curve-controls");
  if (curveData.grid.length > 1) {
    const output = make("output", {}, digits(threshold, 3));
    const slider = make("input", { type: "range", id: "threshold", min: 0, max: curveData.grid.length - 1, step: 1, value: curveData.grid.indexOf(threshold) });
    slider.addEventListener("input", () => {
      threshold = curveData.grid[Number(slider.value)];
      output.textContent = digits(threshold, 3);
      slider.setAttribute("aria-valuetext", output.textContent);
      move();
    });
    controls.append(make("label", {}, "Threshold", slider, output));
  }
  if (panels.length > MANY) {
    controls.append(polyroc.choice(panels[0].title ? "Data set" : "Class", panels.map((panel) => panel.title || panel.positive), (i) => { chosen = [i]; table(); figure.redraw(); }, chosen[0]));
  }
  if (every.length > BEST) {
    const names = [`the best ${BEST}`, `all ${every.length}`, ...every.map((classifier) => polyroc.data.classifiers[classifier])];
    controls.append(polyroc.choice(panels[0].title ? "Learners" : "Classifiers", names, (i) => { drawn = new Set([best, every][i] || [every[i - 2]]); table(); figure.redraw(); }));
  }
  table();
})();
