// The ROC surface of three classes, Scurfield's volumes, the cobweb.
(function () {
  const shapeData = polyroc.data.shapes;
  if (!shapeData) return;
  const { plain, digits } = polyroc;
  const named = (shape) => polyroc.data.classifiers[shape.classifier];

  function surfaces() {
    let current = 0;
    const caption = document.getElementById("surface-caption");
    const figure = polyroc.figure(document.getElementById("surface-figure"), () => {
      const surface = shapeData.surfaces[current];
      const [one, two, three] = surface.classes.map(plain);
      const label = surface.second.map((line, i) => line.map((z, j) => `${one} ${polyroc.share(surface.first[i])}<br>${three} ${polyroc.share(surface.third[j])}<br>${two} ${polyroc.share(z)}`));
      const axis = (title) => ({ title: { text: title, font: { size: 11 } }, range: [0, 1], gridcolor: polyroc.css("--line"), color: polyroc.css("--ink"), tickvals: [0, 0.5, 1] });
      const chance = { type: "scatter3d", mode: "lines", x: [1, 0, 0, 1], y: [0, 1, 0, 0], z: [0, 0, 1, 0], line: { color: polyroc.css("--ink"), width: 3, dash: "dash" }, hoverinfo: "skip", showlegend: false };
      const colours = [[0, polyroc.css("--line")], [1, polyroc.colour(surface.classifier)]];
      const mesh = { type: "surface", x: surface.first, y: surface.third, z: surface.third.map((_, j) => surface.first.map((__, i) => surface.second[i][j])), colorscale: colours, cmin: 0, cmax: 1, showscale: false, text: surface.third.map((_, j) => surface.first.map((__, i) => label[i][j])), hoverinfo: "text", contours: { x: { highlight: false }, y: { highlight: false }, z: { highlight: false } } };
      caption.replaceChildren(polyroc.name(`${named(surface)}: ${surface.name} ${digits(surface.volume[0], 3)} (${digits(surface.volume[1], 3)} to ${digits(surface.volume[2], 3)}). Dashed: chance. Drag to rotate.`));
      return { traces: [mesh, chance], layout: { height: 420, dragmode: "turntable", margin: { l: 0, r: 0, t: 0, b: 0 }, scene: { xaxis: axis(`right of ${one}`), yaxis: axis(`right of ${three}`), zaxis: axis(`right of ${two}`), camera: { eye: { x: 1.75, y: 1.6, z: 1 }, center: { x: 0, y: 0, z: -0.12 } } } } };
    });
    if (shapeData.surfaces.length > 1) {
      document.getElementById("surface-controls").append(polyroc.choice("Classifier", shapeData.surfaces.map(named), (i) => { current = i; figure.redraw(); }));
    }
  }

  function volumes() {
    polyroc.figure(document.getElementById("volume-figure"), () => {
      const orders = shapeData.volumes[0].orders, apart = 0.6 / shapeData.volumes.length; // classifiers side by side
      const traces = shapeData.volumes.map((estimate, v) => ({
        type: "scatter", mode: "markers", name: plain(named(estimate)), y: orders.map((_, i) => i + (v - (shapeData.volumes.length - 1) / 2) * apart), x: estimate.volumes.map((v) => v[0]),
        error_x: { type: "data", symmetric: false, array: estimate.volumes.map((v) => v[2] - v[0]), arrayminus: estimate.volumes.map((v) => v[0] - v[1]), thickness: 1.5, width: 0 },
        marker: { color: polyroc.colour(estimate.classifier), size: 9, symbol: estimate.classifier }, text: estimate.orders.map((order, i) => `${plain(named(estimate))}, ${plain(order)}<br>${digits(estimate.volumes[i][0])} (${digits(estimate.volumes[i][1])} to ${digits(estimate.volumes[i][2])})`), hoverinfo: "text",
      }));
      const { chance } = shapeData.volumes[0];
      const line = { type: "line", x0: chance, x1: chance, yref: "paper", y0: 0, y1: 1, line: { color: polyroc.css("--soft"), width: 1, dash: "dot" } };
      return { traces, layout: { xaxis: polyroc.rate("volume"), yaxis: { automargin: true, range: [orders.length - 0.5, -0.5], tickvals: orders.map((_, i) => i), ticktext: orders.map(plain) }, shapes: chance === null ? [] : [line], height: 380 } };
    });
  }

  function cobwebs() {
    polyroc.figure(document.getElementById("cobweb-figure"), () => {
      const spokes = shapeData.cobwebs[0].spokes.map(([true_, decision]) => `${plain(true_)}<br>→ ${plain(decision)}`);
      const element = document.getElementById("cobweb-figure"), classes = [...new Set(shapeData.cobwebs[0].spokes.map(([label]) => label))];
      const small = element.clientWidth < 560 && spokes.length > 6; // names would overlap
      const ticks = small ? shapeData.cobwebs[0].spokes.map((pair) => pair.map((label) => classes.indexOf(label) + 1).join("→")) : spokes;
      document.getElementById("cobweb-numbers").textContent = small ? " The numbers are the classes in their order." : "";
      const closed = (values) => values.concat([values[0]]);
      const step = 360 / spokes.length;
      const angles = closed(spokes.map((_, i) => i * step));
      const traces = shapeData.cobwebs.map((cobweb) => ({
        type: "scatterpolar", mode: "lines+markers", name: plain(named(cobweb)), r: closed(cobweb.ratios), theta: angles, line: { color: polyroc.colour(cobweb.classifier), dash: polyroc.dash(cobweb.classifier), width: 2 }, fill: "toself", fillcolor: polyroc.faint(polyroc.colour(cobweb.classifier), 0.08),
        text: closed(spokes.map((spoke, i) => `${plain(named(cobweb))}, ${spoke.replace("<br>", " ")}<br>${digits(cobweb.ratios[i])} (${digits(cobweb.low[i])} to ${digits(cobweb.high[i])})`)), hoverinfo: "text",
      }));
      const { chance } = shapeData.cobwebs[0];
      traces.push({ type: "scatterpolar", mode: "lines", r: angles.map(() => chance), theta: angles, line: { color: polyroc.css("--soft"), width: 1, dash: "dot" }, hoverinfo: "skip", showlegend: false });
      const most = Math.max(chance, ...shapeData.cobwebs.flatMap((cobweb) => cobweb.ratios));
      const axis = { gridcolor: polyroc.css("--line"), linecolor: polyroc.css("--line") };
      return { traces, layout: { height: 420, margin: { l: 78, r: 78, t: 48, b: 48 }, polar: { bgcolor: "rgba(0,0,0,0)", gridshape: "linear", radialaxis: { ...axis, range: [0, 1.08 * most], tickfont: { size: 10 }, nticks: 4, angle: 90 - step / 2, tickangle: 90 - step / 2 }, angularaxis: { ...axis, direction: "clockwise", rotation: 90, tickvals: angles.slice(0, -1), ticktext: ticks } } } };
    });
  }

  if (shapeData.surfaces.length) surfaces();
  if (shapeData.volumes.length) volumes();
  if (shapeData.cobwebs.length) cobwebs();
})();
