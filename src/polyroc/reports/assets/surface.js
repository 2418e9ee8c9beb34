// A ROC surface of three classes as SVG: it turns with the pointer or a slider, and is printed as it is seen.
polyroc.openedSurface = function (surface) {
  const [first, third, flat] = [surface.first, surface.third, surface.second].map(polyroc.numbers);
  const second = Array.from(first, (_, i) => flat.subarray(i * third.length, (i + 1) * third.length));
  return { ...surface, first, third, second };
};
polyroc.drawSurface = function (svg, surface, view, colour) {
  const NS = "http://www.w3.org/2000/svg";
  const SIZE = 190; // pixels of an edge of the cube
  const [one, two, three] = surface.classes;
  const sine = Math.sin(view.turn), cosine = Math.cos(view.turn);
  const up = Math.cos(view.tilt), over = Math.sin(view.tilt);

  // Orthographic projection: turned about the vertical axis, seen from above.
  function project([x, y, z]) {
    const [a, b, c] = [x - 0.5, y - 0.5, z - 0.5];
    const across = a * cosine - b * sine, away = a * sine + b * cosine;
    return { x: SIZE * across, y: -SIZE * (c * up + away * over), depth: away * up - c * over };
  }
  function add(parent, tag, attributes, text) {
    const element = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }
  const joined = (points) => points.map((p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`).join(" ");
  const line = (from, to, more) => add(svg, "polyline", { points: joined([from, to].map(project)), fill: "none", stroke: polyroc.css("--soft"), "stroke-width": 1, ...more });

  svg.replaceChildren();
  const corners = [0, 1].flatMap((x) => [0, 1].map((y) => [x, y]));
  for (const [x, y] of corners) line([x, y, 0], [x, y, 1], { stroke: polyroc.css("--line") });
  for (const z of [0, 1]) {
    for (const k of [0, 1]) {
      line([0, k, z], [1, k, z], { stroke: polyroc.css("--line") });
      line([k, 0, z], [k, 1, z], { stroke: polyroc.css("--line") });
    }
  }
  const { first, third, second } = surface, cells = [];
  for (let i = 0; i + 1 < first.length; i++) {
    for (let j = 0; j + 1 < third.length; j++) {
      const at = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(([u, v]) => project([first[u], third[v], second[u][v]]));
      const height = (second[i][j] + second[i + 1][j] + second[i + 1][j + 1] + second[i][j + 1]) / 4;
      cells.push({ at, i, j, height, depth: at.reduce((sum, p) => sum + p.depth, 0) });
    }
  }
  cells.sort((a, b) => b.depth - a.depth); // what is far away first
  const mesh = add(svg, "g", { stroke: polyroc.css("--paper"), "stroke-width": 0.4, "stroke-linejoin": "round", fill: colour });
  for (const { at, i, j, height } of cells) {
    const cell = add(mesh, "polygon", { points: joined(at), "fill-opacity": (0.25 + 0.7 * height).toFixed(3) });
    add(cell, "title", {}, `${one} ${polyroc.share(first[i])}, ${three} ${polyroc.share(third[j])}: ${two} ${polyroc.share(second[i][j])}`);
  }
  for (const [from, to] of [[[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1]], [[0, 0, 1], [1, 0, 0]]]) line(from, to, { stroke: polyroc.css("--ink"), "stroke-width": 1.5, "stroke-dasharray": "6 4" });

  // Titles stand at the edges nearest to the viewer; numbers at the ends of these.
  const near = (points) => points.reduce((best, p) => (project(p).depth < project(best).depth ? p : best));
  const [, frontY] = near([[0.5, 0, 0], [0.5, 1, 0]]), [frontX] = near([[0, 0.5, 0], [1, 0.5, 0]]);
  const side = corners.map(([x, y]) => [x, y, 0.5]).reduce((best, p) => (project(p).x < project(best).x ? p : best));
  const label = (at, text, more) => { const p = project(at); add(svg, "text", { x: p.x.toFixed(1), y: p.y.toFixed(1), "font-size": 11, fill: "currentColor", "text-anchor": "middle", ...more }, text); };
  const off = (k) => (k ? 1 : -1);
  label([0.5, frontY + 0.2 * off(frontY), -0.02], `right of ${one}`, {});
  label([frontX + 0.2 * off(frontX), 0.5, -0.02], `right of ${three}`, {});
  label([side[0], side[1], 1.1], `right of ${two}`, {});
  for (const k of [0, 1]) {
    label([k, frontY + 0.1 * off(frontY), -0.05], String(k), { "font-size": 10 });
    label([frontX + 0.1 * off(frontX), k, -0.05], String(k), { "font-size": 10 });
    label([side[0], side[1], k], String(k), { "font-size": 10, dx: -9, dy: -2 });
  }
};
