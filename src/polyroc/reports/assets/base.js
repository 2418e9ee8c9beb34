// Shared by all parts of the page: the data, the style, and functions that make elements. Texts from the data become
// text nodes, never markup; in pictures they are escaped, because plotly reads a few tags.
(function () {
  const kinds = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u2: Uint16Array };
  const light = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F"]; // Okabe & Ito
  const dark = ["#56B4E9", "#F0803C", "#2FBF9A", "#E39BC4", "#8FA8FF", "#E69F00", "#B5B5B5"];
  const PRINTED = 640; // pixels: the width of a picture on paper
  const dashes = ["solid", "dash", "dot", "dashdot", "longdash"];
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");

  // The first bytes of all numbers come first, then the second ones; `steps` are differences, `of` is a divisor.
  polyroc.numbers = function (packed) {
    const kind = Object.keys(packed)[0], planes = polyroc.bytes(packed[kind]);
    const size = kinds[kind].BYTES_PER_ELEMENT, count = planes.length / size, bytes = new Uint8Array(planes.length);
    for (let at = 0, plane = 0; plane < size; plane++) for (let i = plane; i < bytes.length; i += size) bytes[i] = planes[at++];
    const stored = new kinds[kind](bytes.buffer);
    if (packed.steps) for (let i = 1; i < count; i++) stored[i] += stored[i - 1];
    return packed.of ? Float64Array.from(stored, (number) => number / packed.of) : stored;
  };

  // The points of a curve; the threshold of the first one, above all scores, is not stored.
  polyroc.points = function (curve) {
    const [fpr, tpr, below] = [curve.fpr, curve.tpr, curve.thresholds].map(polyroc.numbers);
    return { fpr, tpr, thresholds: below.length < fpr.length ? [Infinity, ...below] : below };
  };

  polyroc.css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  polyroc.colour = (i) => (scheme.matches ? dark : light)[i % light.length];
  polyroc.dash = (i) => dashes[i % dashes.length];
  polyroc.faint = function (colour, share) {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    return `rgba(${r},${g},${b},${share})`;
  };

  polyroc.plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  polyroc.share = (x) => (x === null || Number.isNaN(x) ? "–" : (100 * x).toFixed(1) + " %");
  polyroc.digits = (x, places = 4) => (x === null || Number.isNaN(x) ? "–" : x.toFixed(places));
  polyroc.count = (x) => (Math.abs(x - Math.round(x)) < 1e-9 ? String(Math.round(x)) : x.toFixed(2));
  polyroc.percent = 100 * polyroc.data.level + " %";

  polyroc.make = function (tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };
  polyroc.tall = (labels) => (labels.some((label) => label.length > 4) ? " tall" : ""); // long names are written upwards
  polyroc.name = (text) => polyroc.make("bdi", {}, text);

  polyroc.choice = function (label, names, change, first = 0) {
    const select = polyroc.make("select", { onchange: () => change(Number(select.value)) });
    names.forEach((name, i) => select.append(polyroc.make("option", { value: i, selected: i === first }, name)));
    return polyroc.make("label", {}, label, select);
  };

  polyroc.layout = function (more) {
    const axis = { gridcolor: polyroc.css("--line"), zeroline: false, linecolor: polyroc.css("--soft"), fixedrange: false };
    const base = {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: polyroc.css("--ink"), family: "system-ui, sans-serif", size: 12 },
      margin: { l: 52, r: 12, t: 28, b: 46 },
      hoverlabel: { bgcolor: polyroc.css("--wash"), bordercolor: polyroc.css("--line"), font: { color: polyroc.css("--ink") }, align: "left" },
      legend: { orientation: "h", y: -0.16, yanchor: "top", font: { size: 12 } },
      hovermode: "closest",
      dragmode: false,
    };
    const full = Object.assign(base, more);
    for (const name of Object.keys(full)) if (/^[xy]axis/.test(name)) full[name] = Object.assign({}, axis, full[name]);
    return full;
  };
  // Of more than can be told apart in a picture, the best by a value, in their order.
  polyroc.BEST = 8;
  polyroc.best = function (items, value) {
    const best = new Set([...items].sort((a, b) => value(b) - value(a)).slice(0, polyroc.BEST));
    return items.filter((item) => best.has(item));
  };
  // Where one classifier is shown, it is the best at first; items may leave it out.
  polyroc.leading = (classifiers) => Math.max(0, classifiers.indexOf(polyroc.data.leading[0]));
  polyroc.rate = (title, more) => Object.assign({ title: { text: title, standoff: 6 }, range: [-0.01, 1.01], tickvals: [0, 0.2, 0.4, 0.6, 0.8, 1] }, more);

  polyroc.chance = (more) => ({ x: [0, 1], y: [0, 1], mode: "lines", line: { color: polyroc.css("--soft"), width: 1, dash: "dot" }, hoverinfo: "skip", showlegend: false, ...more });

  polyroc.width = (element) => (polyroc.printing ? Math.min(PRINTED, element.clientWidth) : element.clientWidth);

  // A figure is drawn when it comes near the screen, when the colour scheme changes, and before printing.
  polyroc.drawing = function (element, draw) {
    const figure = { element, shown: false };
    figure.draw = function () {
      figure.shown = true;
      return draw();
    };
    figure.redraw = () => (figure.shown ? figure.draw() : undefined);
    polyroc.figures.push(figure);
    new IntersectionObserver((entries, watcher) => {
      if (entries.some((entry) => entry.isIntersecting)) {
        watcher.disconnect();
        if (!figure.shown) figure.draw();
      }
    }, { rootMargin: "600px" }).observe(element);
    return figure;
  };

  // One that plotly draws; a tool bar would cover its corner, so that its picture is saved by a button below it.
  // Its height (a function) is reserved before: else what has the focus could move off the screen when a figure above it is drawn.
  polyroc.figure = function (element, height, draw) {
    const config = { displayModeBar: false, responsive: true };
    const reserve = () => { const pixels = height(); element.style.minHeight = `${pixels}px`; return pixels; };
    const figure = polyroc.drawing(element, () => {
      const { traces, layout } = draw();
      const width = polyroc.printing ? { width: polyroc.width(element) } : {};
      return polyroc.plotly().react(element, traces, polyroc.layout({ ...layout, height: reserve(), ...width }), config);
    });
    reserve();
    figure.sized = true; // its width on paper is another one
    const save = () => Promise.resolve(figure.shown || figure.draw()).then(() => polyroc.plotly().downloadImage(element, { format: "svg", filename: element.id }));
    element.after(polyroc.make("p", { class: "download" }, polyroc.make("button", { type: "button", onclick: save }, "Save picture (SVG)")));
    return figure;
  };
  scheme.addEventListener("change", () => polyroc.figures.forEach((figure) => figure.redraw()));
  const print = (is) => { polyroc.printing = is; polyroc.figures.forEach((figure) => (figure.sized || !figure.shown) && figure.draw()); };
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
})();
