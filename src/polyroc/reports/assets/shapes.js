// The ROC surface of three classes, Scurfield's volumes, the cobweb.
(function () {
  const shapeData = polyroc.data.shapes;
  if (!shapeData) return;
  const { plain, digits } = polyroc;
  const named = (shape) => polyroc.data.classifiers[shape.classifier];

  function surfaces() {
    let current = polyroc.leading(shapeData.surfaces.map((surface) => surface.classifier)), from = null;
    const made = shapeData.surfaces.map(() => null);
    const opened = (i) => (made[i] = made[i] || polyroc.openedSurface(shapeData.surfaces[i]));
    const view = { turn: 0.65, tilt: 0.45 };
    const place = document.getElementById("surface-figure"), caption = document.getElementById("surface-caption");
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "-200 -190 400 380");
    svg.setAttribute("aria-hidden", "true");
    place.append(svg);
    const draw = () => polyroc.drawSurface(svg, opened(current), view, polyroc.colour(shapeData.surfaces[current].classifier));
    const figure = polyroc.drawing(place, draw);
    function show(i) {
      current = i;
      const surface = shapeData.surfaces[i];
      caption.replaceChildren(polyroc.name(`${named(surface)}: ${surface.name} ${digits(surface.volume[0], 3)} (${digits(surface.volume[1], 3)} to ${digits(surface.volume[2], 3)}). Dashed: chance. Drag to turn.`));
      figure.redraw();
    }
    const slider = (label, key, min, max) => {
      const made = polyroc.make("input", { type: "range", min, max, step: 5, value: Math.round((180 * view[key]) / Math.PI) });
      made.addEventListener("input", () => { view[key] = (Number(made.value) * Math.PI) / 180; requestAnimationFrame(draw); });
      return polyroc.make("label", {}, label, made);
    };
    svg.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY, view.turn, view.tilt]; svg.setPointerCapture(event.pointerId); });
    svg.addEventListener("pointerup", () => { from = null; });
    svg.addEventListener("pointermove", (event) => {
      if (!from) return;
      view.turn = from[2] + (event.clientX - from[0]) / 120;
      view.tilt = Math.min(1.5, Math.max(0, from[3] + (event.clientY - from[1]) / 120));
      requestAnimationFrame(draw);
    });
    const controls = document.getElementById("surface-controls");
    if (shapeData.surfaces.length > 1) {
      controls.append(polyroc.choice("Classifier", shapeData.surfaces.map(named), show, current));
    }
    show(current);
    controls.append(slider("Turn", "turn", -180, 180), slider("Tilt", "tilt", 0, 85));
  }

  function volumes() {
    polyroc.figure(document.getElementById("volume-figure"), () => 380, () => {
      const orders = shapeData.volumes[0].orders, apart = 0.6 / shapeData.volumes.length; // classifiers side by side
      const traces = shapeData.volumes.map((estimate, v) => ({
        type: "scatter", mode: "markers", name: plain(named(estimate)), y: orders.map((_, i) => i + (v - (shapeData.volumes.length - 1) / 2) * apart), x: estimate.volumes.map((v) => v[0]),
        error_x: { type: "data", symmetric: false, array: estimate.volumes.map((v) => v[2] - v[0]), arrayminus: estimate.volumes.map((v) => v[0] - v[1]), thickness: 1.5, width: 0 },
        marker: { color: polyroc.colour(estimate.classifier), size: 9, symbol: estimate.classifier }, text: estimate.orders.map((order, i) => `${plain(named(estimate))}, ${plain(order)}<br>${digits(estimate.volumes[i][0])} (${digits(estimate.volumes[i][1])} to ${digits(estimate.volumes[i][2])})`), hoverinfo: "text",
      }));
      const { chance } = shapeData.volumes[0];
      const line = { type: "line", x0: chance, x1: chance, yref: "paper", y0: 0, y1: 1, line: { color: polyroc.css("--soft"), width: 1, dash: "dot" } };
      return { traces, layout: { xaxis: polyroc.rate("volume"), yaxis: { automargin: true, range: [orders.length - 0.5, -0.5], tickvals: orders.map((_, i) => i), ticktext: orders.map(plain) }, shapes: chance === null ? [] : [line] } };
    });
  }

  function cobwebs() {
    const drawn = polyroc.best(shapeData.cobwebs, (cobweb) => -cobweb.ratios.reduce((sum, ratio) => sum + ratio, 0));
    const element = document.getElementById("cobweb-figure"), spokes = shapeData.cobwebs[0].spokes.map(([true_, decision]) => `${plain(true_)}<br>→ ${plain(decision)}`);
    const isSmall = () => element.clientWidth < 560 && spokes.length > 6; // names would overlap
    function caption() {
      document.getElementById("cobweb-numbers").textContent = (isSmall() ? " The numbers are the classes in their order." : "") + (drawn.length < shapeData.cobwebs.length ? ` The ${drawn.length} of the fewest errors, of ${shapeData.cobwebs.length} classifiers.` : "");
    }
    caption();
    polyroc.figure(element, () => 420, () => {
      caption();
      const classes = [...new Set(shapeData.cobwebs[0].spokes.map(([label]) => label))];
      const ticks = isSmall() ? shapeData.cobwebs[0].spokes.map((pair) => pair.map((label) => classes.indexOf(label) + 1).join("→")) : spokes;
      const closed = (values) => values.concat([values[0]]);
      const step = (2 * Math.PI) / spokes.length;
      // Clockwise from the top; a basic bundle of plotly.js has no polar axes.
      const across = (radii) => closed(radii.map((r, i) => r * Math.sin(i * step))), up = (radii) => closed(radii.map((r, i) => r * Math.cos(i * step)));
      const ring = (r, line) => ({ mode: "lines", x: across(spokes.map(() => r)), y: up(spokes.map(() => r)), line, hoverinfo: "skip", showlegend: false });
      const { chance } = shapeData.cobwebs[0];
      const most = 1.08 * Math.max(chance, ...drawn.flatMap((cobweb) => cobweb.ratios));
      const unit = 10 ** Math.floor(Math.log10(most / 2)), tick = [1, 2, 5, 10].map((k) => k * unit).find((k) => most / k <= 4);
      const levels = Array.from({ length: Math.floor(most / tick + 1e-9) }, (_, k) => (k + 1) * tick), thin = { color: polyroc.css("--line"), width: 1 };
      const traces = levels.map((r) => ring(r, thin));
      spokes.forEach((_, i) => traces.push({ mode: "lines", x: [0, most * Math.sin(i * step)], y: [0, most * Math.cos(i * step)], line: thin, hoverinfo: "skip", showlegend: false }));
      for (const cobweb of drawn) {
        const colour = polyroc.colour(cobweb.classifier);
        traces.push({
          mode: "lines+markers", name: plain(named(cobweb)), x: across(cobweb.ratios), y: up(cobweb.ratios), line: { color: colour, dash: polyroc.dash(cobweb.classifier), width: 2 }, fill: "toself", fillcolor: polyroc.faint(colour, 0.08), hoveron: "points",
          text: closed(spokes.map((spoke, i) => `${plain(named(cobweb))}, ${spoke.replace("<br>", " ")}<br>${digits(cobweb.ratios[i])} (${digits(cobweb.low[i])} to ${digits(cobweb.high[i])})`)), hoverinfo: "text",
        });
      }
      traces.push(ring(chance, { color: polyroc.css("--soft"), width: 1, dash: "dot" }));
      const written = (text, x, y, size) => ({ text, x, y, showarrow: false, font: { size } });
      const annotations = ticks.map((text, i) => written(text, 1.2 * most * Math.sin(i * step), 1.14 * most * Math.cos(i * step), 12));
      annotations.push(...levels.map((r) => written(String(Number(r.toPrecision(2))), r * Math.sin(step / 2) * Math.cos(step / 2), r * Math.cos(step / 2) ** 2, 10)));
      const hidden = { visible: false, range: [-1.35 * most, 1.35 * most] };
      return { traces, layout: { margin: { l: 10, r: 10, t: 10, b: 10 }, annotations, xaxis: hidden, yaxis: { ...hidden, scaleanchor: "x" } } };
    });
  }

  if (shapeData.surfaces.length) surfaces();
  if (shapeData.volumes.length) volumes();
  if (shapeData.cobwebs.length) cobwebs();
})();
