// The matrix of pairwise areas; a cell opens its curve.
(function () {
  const pairData = polyroc.data.pairs;
  if (!pairData) return;
  const { make, name, plain, digits } = polyroc;
  const classes = polyroc.data.classes;
  const many = classes.length > 8;
  let current = polyroc.leading(pairData.classifiers.map((matrix) => matrix.classifier));
  let [row, column] = hardest();
  let buttons = [];
  const best = polyroc.best(pairData.classifiers, (matrix) => matrix.whole[0]);
  const shown = () => pairData.classifiers.filter((matrix, i) => i === current || best.includes(matrix));
  const lowest = pairData.classifiers[current].cells[row][column][0]; // the darkest
  if (classes.length > 11) document.getElementById("pair-matrix").closest(".beside").style.gridTemplateColumns = "minmax(0, 1fr)";

  function hardest() {
    let worst = [0, 1], least = Infinity;
    pairData.classifiers[current].cells.forEach((cells, i) => cells.forEach((cell, j) => {
      if (cell && cell[0] !== null && cell[0] < least) [worst, least] = [[i, j], cell[0]];
    }));
    return worst;
  }

  const text = (cell, places) => `${digits(cell[0], places)} (${digits(cell[1], places)} to ${digits(cell[2], places)})`;

  function button(cell, i, j) {
    const spoken = `A(${classes[i]}|${classes[j]}): ${text(cell, 3)}`;
    const heat = cell[0] === null ? 0 : Math.min(1, (1 - cell[0]) / (1 - lowest || 1)); // as in matplotlib: dark is hard
    const made = make("button", { type: "button", title: spoken, "aria-pressed": "false", tabindex: -1, style: `--share: ${heat}`, onclick: () => open(i, j) },
      make("span", { class: "hidden" }, `A(${classes[i]}|${classes[j]}) `), many ? digits(cell[0], 2).replace(/^0/, "") : digits(cell[0], 3));
    if (!many) made.append(make("small", {}, `${digits(cell[1], 2)}–${digits(cell[2], 2)}`));
    return made;
  }

  function table() {
    const { cells } = pairData.classifiers[current];
    buttons = classes.map(() => []);
    const head = make("tr", {}, make("td", { class: "corner" }, "i \u2193  j \u2192"), ...classes.map((label) => make("th", { scope: "col", title: label }, name(label))));
    const rows = classes.map((label, i) => make("tr", {}, make("th", { scope: "row", title: label }, name(label)), ...classes.map((_, j) => {
      const cell = make("td");
      if (cells[i][j]) cell.append((buttons[i][j] = button(cells[i][j], i, j)));
      return cell;
    })));
    const made = make("table", { class: "matrix" + (many ? " many" + polyroc.tall(classes) : ""), onkeydown: arrows }, make("caption", { class: "hidden" }, "Pairwise areas A(i|j): i in rows, j in columns"), make("thead", {}, head), make("tbody", {}, ...rows));
    document.getElementById("pair-matrix").replaceChildren(made);
  }

  function arrows(event) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const from = buttons.flatMap((line, i) => line.map((button, j) => [button, i, j])).find(([button]) => button === document.activeElement);
    if (!step || !from) return;
    event.preventDefault();
    let [, i, j] = from;
    do { i += step[0]; j += step[1]; } while (buttons[i] && i === j);
    if (buttons[i] && buttons[i][j]) buttons[i][j].focus();
  }

  const element = document.getElementById("pair-figure");
  const figure = polyroc.figure(element, () => 380, () => {
    const traces = [polyroc.chance()];
    for (const matrix of shown()) {
      const packed = matrix.curves && matrix.curves[row][column];
      if (!packed) continue;
      const { fpr, tpr, thresholds: t } = polyroc.points(packed);
      const label = Array.from(fpr, (_, i) => `<b>${plain(polyroc.data.classifiers[matrix.classifier])}</b>, threshold ${t[i] > 1e38 ? "above all" : digits(t[i], 4)}<br>of ${plain(classes[row])}: ${rate(tpr[i], row)}<br>of ${plain(classes[column])}: ${rate(fpr[i], column)}`);
      const width = matrix.classifier === pairData.classifiers[current].classifier ? 2.5 : 1.5;
      traces.push({ x: fpr, y: tpr, mode: "lines", name: plain(polyroc.data.classifiers[matrix.classifier]), line: { color: polyroc.colour(matrix.classifier), dash: polyroc.dash(matrix.classifier), width }, text: label, hoverinfo: "text" });
    }
    return { traces, layout: { xaxis: polyroc.rate(`share of ${plain(classes[column])} called ${plain(classes[row])}`), yaxis: polyroc.rate(`share of ${plain(classes[row])} found`) } };
  });

  function rate(x, k) {
    return pairData.cases ? `${polyroc.share(x)} (${Math.round(x * pairData.cases[k])} of ${pairData.cases[k]})` : polyroc.share(x);
  }

  function open(i, j) {
    [row, column] = [i, j];
    buttons.flat().forEach((button) => { button.setAttribute("aria-pressed", "false"); button.tabIndex = -1; });
    if (buttons[i][j]) { buttons[i][j].setAttribute("aria-pressed", "true"); buttons[i][j].tabIndex = 0; }
    const label = shown().filter((matrix) => matrix.cells[i][j]).map((matrix) => `${polyroc.data.classifiers[matrix.classifier]} ${text(matrix.cells[i][j], 3)}`);
    document.getElementById("pair-caption").replaceChildren("A(", name(classes[i]), "|", name(classes[j]), "): ", name(label.join("; ")), best.length < pairData.classifiers.length ? ". The best classifiers, and the selected one." : "");
    figure.redraw();
  }

  if (pairData.classifiers.length > 1) {
    document.getElementById("pair-controls").append(polyroc.choice("Classifier", pairData.classifiers.map((matrix) => polyroc.data.classifiers[matrix.classifier]), (i) => { current = i; table(); open(row, column); }, current));
  }
  table();
  open(row, column);
})();
