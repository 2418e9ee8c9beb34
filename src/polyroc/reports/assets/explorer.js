// The operating-point explorer: from costs, priors and limits to the rule, its errors and their cost.
(function () {
  const explorer = polyroc.data.explorer;
  if (!explorer) return;
  const { make, name, numbers, digits, share, decisions, data } = polyroc;
  const classes = data.classes, c = classes.length;
  const FEW = 4, PRIORS = 8, SHOWN = 8; // classes up to which all costs, all priors, all numbers are on the page
  const errors = classes.flatMap((_, k) => classes.map((__, m) => [k, m])).filter(([k, m]) => k !== m);
  const classifiers = [...new Set([...Object.keys(explorer.tables), ...Object.keys(explorer.fronts)])].map(Number).sort((a, b) => a - b);
  const open = {};
  const state = {};
  const lookup = (id) => document.getElementById(id);

  function reset() {
    Object.assign(state, { classifier: state.classifier ?? classifiers[polyroc.leading(classifiers)], costs: classes.map((_, k) => classes.map((__, m) => Number(k !== m))), priors: [...explorer.shares], limits: new Map(), source: explorer.tables[classifiers[0]] ? "table" : "front" });
  }

  // Probabilities add up to one but for rounding, so of the last column only the difference is stored.
  function complete({ more, values, ...rows }) {
    if (!more) return { values, ...rows };
    const whole = new Float64Array(more.length * c);
    for (let i = 0, at = 0; i < more.length; i++) {
      let rest = 1;
      for (let k = 0; k < c - 1; k++, at++) {
        rest -= values[at];
        whole[i * c + k] = values[at];
      }
      whole[i * c + c - 1] = rest + more[i];
    }
    return { values: whole, ...rows };
  }

  // Tables and fronts are unpacked when they are first needed.
  function opened(classifier) {
    if (open[classifier]) return open[classifier];
    const stored = explorer.tables[classifier] && Object.entries({ ...explorer.rows, ...explorer.tables[classifier] });
    const table = stored && complete(Object.fromEntries(stored.map(([key, packed]) => [key, numbers(packed)])));
    const packed = explorer.fronts[classifier];
    const made = { table: table || null, front: null };
    if (packed) {
      const wrong = numbers(packed.errors), dear = numbers(packed.costs), size = packed.points * c * c;
      const [counts, rates, costs] = [0, 1, 2].map(() => new Float64Array(size));
      for (let i = 0, e = 0; i < packed.points; i++) {
        for (let k = 0; k < c; k++) {
          const at = (i * c + k) * c;
          counts[at + k] = packed.totals[k];
          for (let m = 0; m < c; m++) {
            if (m === k) continue;
            counts[at + m] = wrong[e];
            counts[at + k] -= wrong[e];
            costs[at + m] = dear[e++];
          }
          for (let m = 0; m < c; m++) rates[at + m] = counts[at + m] / packed.totals[k];
        }
      }
      made.front = { c, points: packed.points, counts, rates, costs, packed };
    }
    if (table && c === 2) made.thresholds = decisions.thresholds(table, explorer.positive);
    return (open[classifier] = made);
  }

  const limits = () => [...state.limits].map(([key, most]) => [...key.split(",").map(Number), most]);
  const isFree = () => state.priors.every((p, k) => p === explorer.shares[k]);

  // The rule, and the decisions it makes.
  function answer() {
    const own = opened(state.classifier), most = limits();
    const total = state.priors.reduce((a, b) => a + b, 0);
    const priors = isFree() ? state.priors : state.priors.map((p) => p / total);
    const losses = state.costs.map((row, k) => row.map((x) => x * priors[k]));
    if (!losses.flat().some((x) => x > 0)) return { trouble: "With these costs and priors no error has a cost." };
    const made = { priors, losses, trouble: "", point: null };
    if (c === 2 && own.table) return twoClasses(own, made, most);
    if (!own.front || (own.table && state.source === "table" && !most.length)) return byBayes(own, made, most);
    const point = onFront(own, made, most);
    return own.table && state.source === "table" && c > FEW ? cheaper(point, byBayes(own, made, most)) : point;
  }

  // With many classes sampling finds little of the front: raising the costs of limited errors may be better.
  function cheaper(a, b) {
    if (a.trouble || b.trouble) return a.trouble ? b : a;
    const cost = ({ confusion, losses }) => decisions.costOf(confusion, losses, data.z)[0];
    return cost(a) <= cost(b) ? a : b;
  }

  function twoClasses(own, made, most) {
    const threshold = decisions.bestThreshold(own.thresholds, made.losses, most, explorer.positive);
    if (threshold === null) return { ...made, trouble: "No threshold keeps these limits. Allow more of one error." };
    const assigned = decisions.byThreshold(own.table.values, explorer.positive, threshold);
    return { ...made, rule: { kind: "ThresholdRule", threshold, positive: explorer.positive }, confusion: decisions.confusion(own.table, assigned, 2) };
  }

  function onFront(own, made, most) {
    const { point, kept } = decisions.pick(own.front, made.losses, most);
    const at = point * c * c;
    const square = (from) => classes.map((_, k) => Array.from(from.slice(at + k * c, at + (k + 1) * c)));
    const counts = square(own.front.counts);
    const always = c === 2 && counts.every((row) => row[0] === 0);
    const rule = always ? { kind: "ThresholdRule", threshold: 0, positive: 1 } : { kind: "CostRule", costs: square(own.front.costs) };
    const trouble = kept ? "" : "No point of the front keeps these limits; this is the nearest. Allow more of one error.";
    const rows = counts.map((row) => Float64Array.from(row));
    const confusion = own.table && !always
      ? decisions.confusion(own.table, decisions.byCosts(own.table.values, c, rule.costs), c)
      : decisions.fromCounts(rows, rows, rows.map((row) => row.reduce((a, b) => a + b, 0)));
    return { ...made, rule, point, trouble, confusion };
  }

  // Bayes' rule for these costs and the given probabilities; the costs of limited errors rise until the limits hold.
  function byBayes(own, made, most) {
    const bayes = state.costs.map((row, k) => row.map((x) => x * (made.priors[k] / explorer.shares[k])));
    const confusionFor = (L) => decisions.confusion(own.table, decisions.byCosts(own.table.values, c, L), c);
    const keeps = (confusion) => most.every(([k, m, limit]) => confusion.rates[k][m] <= limit + 1e-12);
    let rule = bayes, confusion = confusionFor(bayes);
    const top = Math.max(...bayes.flat());
    for (let power = -2; most.length && !keeps(confusion) && power < 8; power++) {
      rule = bayes.map((row) => [...row]);
      for (const [k, m] of most) rule[k][m] += top * 4 ** power;
      confusion = confusionFor(rule);
    }
    const trouble = keeps(confusion) ? "" : "No rule was found that keeps these limits. Allow more of one error.";
    return { ...made, rule: { kind: "CostRule", costs: rule }, confusion, trouble, raised: rule !== bayes };
  }

  // JSON as polyroc.Rule.from_json reads it; the labels are Python's own text.
  function stored(rule) {
    const head = [`"schema": 1`, `"kind": "${rule.kind}"`, `"labels": [${explorer.labels.join(", ")}]`];
    if (rule.kind === "CostRule") head.push(`"costs": ${JSON.stringify(rule.costs)}`);
    else head.push(`"positive": ${explorer.labels[rule.positive]}`, `"threshold": ${Number.isFinite(rule.threshold) ? JSON.stringify(rule.threshold) : `"${rule.threshold > 0 ? "" : "-"}inf"`}`);
    return `{\n  ${head.join(",\n  ")}\n}\n`;
  }

  function sentence(made) {
    const { rule } = made;
    if (rule.kind === "ThresholdRule") {
      const yes = classes[rule.positive], no = classes[1 - rule.positive];
      return rule.threshold === Infinity ? `Always ${no}.` : `${yes} if its score is at least ${Number(rule.threshold.toPrecision(6))}, otherwise ${no}.`;
    }
    if (made.point !== null) return `The class of least expected cost, by the costs of point ${made.point} of the front's ${opened(state.classifier).front.points}.`;
    return made.raised ? "The class of least expected cost, with the costs of limited errors raised until the limits hold." : "The class of least expected cost, with the probabilities as given.";
  }

  // The call that computes the front, if it was computed on all cases.
  function frontLine() {
    const { draws, seed } = opened(state.classifier).front.packed;
    if (!explorer.tables[state.classifier] || explorer.note || draws === null || !explorer.names[state.classifier]) return "";
    return `front = polyroc.front(scores, draws=${draws}, rng=${seed})${explorer.names.length > 1 ? `[${explorer.names[state.classifier]}]` : ""}\n`;
  }

  function python(made) {
    if (!explorer.python) return "";
    const listed = (pairs) => `{${pairs.map(([k, m, x]) => `(${explorer.python[k]}, ${explorer.python[m]}): ${x}`).join(", ")}}`;
    const terms = [];
    const dear = errors.map(([k, m]) => [k, m, state.costs[k][m]]).filter(([, , x]) => x !== 1);
    if (dear.length) terms.push(`costs=${listed(dear)}`);
    if (!isFree()) terms.push(`priors=[${made.priors.join(", ")}]`);
    // by its position, if the page has all points: without it, operate searches for a rule that is no point of the front
    const placed = made.point !== null && !opened(state.classifier).front.packed.left_out;
    if (placed) return `${frontLine()}polyroc.operate(${["front", `point=${made.point}`, ...terms].join(", ")})`;
    if (limits().length) terms.push(`at_most=${listed(limits())}`);
    if (made.point !== null) return `${frontLine()}polyroc.operate(${["front", ...terms].join(", ")})  # searches further than this page`;
    if (made.raised) return `polyroc.operate(scores, ${terms.join(", ")})  # searches further than this page`;
    if (explorer.names.length > 1 && explorer.names[state.classifier]) terms.push(`only=${explorer.names[state.classifier]}`);
    if (c > 2) terms.push("calibrated=True");
    return `polyroc.operate(${["scores", ...terms].join(", ")})`;
  }

  const cells = [], at = [0, 1]; // with many classes, the selected error
  function matrix() {
    const many = c > SHOWN;
    const head = make("tr", {}, make("td", { class: "corner" }, "true \u2193 predicted \u2192"), ...classes.map((label) => make("th", { scope: "col", title: `called ${label}` }, name(label))));
    const rows = classes.map((label, k) => {
      cells[k] = classes.map(() => make("div", { class: "cell" }));
      return make("tr", {}, make("th", { scope: "row", title: `true ${label}` }, name(label)), ...cells[k].map((cell, m) => make("td", { class: k === m ? "right" : "" }, cell)));
    });
    if (c > FEW) cells.forEach((row, k) => row.forEach((cell, m) => { if (k !== m) cell.onclick = () => look(k, m); }));
    lookup("explorer-matrix").replaceChildren(make("table", { class: "matrix" + (many ? " many" + polyroc.tall(classes) : "") }, make("caption", { class: "hidden" }, "Confusion matrix: true classes in rows, decisions in columns"), make("thead", {}, head), make("tbody", {}, ...rows)));
  }

  function fill(confusion) {
    cells.forEach((row, k) => row.forEach((cell, m) => {
      const rate = confusion.rates[k][m], count = polyroc.count(confusion.counts[k][m]);
      cell.style.setProperty("--share", rate);
      cell.dataset.count = confusion.counts[k][m];
      cell.classList.toggle("looked", c > FEW && k === at[0] && m === at[1]);
      if (c > SHOWN) {
        cell.textContent = rate === 0 ? "\u00a0" : `${(100 * rate).toFixed(0)} %`;
        cell.onpointerenter = () => { cell.title = `${error([k, m])}: ${rateText(k, m)}`; };
        return;
      }
      const [low, high] = ends(k, m);
      cell.replaceChildren(share(rate), make("small", {}, Number.isNaN(low) ? "" : `${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)} %`), make("small", {}, `${count} of ${polyroc.count(confusion.totals[k])}`));
    }));
    const line = lookup("explorer-error");
    if (line) line.textContent = rateText(...at);
  }
  const ends = (k, m) => (explorer.intervals ? decisions.rateInterval(current.confusion, k, m, data.z) : [NaN, NaN]);
  function rateText(k, m) {
    const { rates, counts, totals } = current.confusion, [low, high] = ends(k, m);
    const reach = Number.isNaN(low) ? "" : ` (${(100 * low).toFixed(1)} to ${share(high)})`;
    return `${share(rates[k][m])}${reach}, ${polyroc.count(counts[k][m])} of ${polyroc.count(totals[k])} cases`;
  }
  function look(k, m) {
    [at[0], at[1]] = [k, m];
    document.querySelectorAll("select[data-at]").forEach((select) => { select.value = at[Number(select.dataset.at)]; });
    sync();
    if (current.confusion) fill(current.confusion);
  }

  function costText(made) {
    const [value, low, high] = decisions.costOf(made.confusion, made.losses, data.z);
    const always = classes.map((_, m) => made.losses.reduce((a, row) => a + row[m], 0));
    const least = Math.min(...always);
    const reach = explorer.intervals ? ` (${polyroc.percent} ${digits(low)} to ${digits(high)})` : "";
    const fitted = c === 2 || made.point !== null || made.raised ? ` ${explorer.optimistic}` : "";
    return [make("b", { id: "explorer-value" }, digits(value)), ` expected cost per case${reach}. Always predicting `, name(classes[always.indexOf(least)]), ` costs ${digits(least)}.${fitted}`];
  }

  let current = null;
  function update() {
    current = answer();
    const place = lookup("explorer-cost");
    lookup("explorer-download").disabled = !current.rule || !explorer.labels;
    lookup("explorer-csv").disabled = !current.rule;
    if (!current.rule) {
      place.replaceChildren(make("span", { class: "trouble" }, current.trouble));
      return;
    }
    place.replaceChildren(...costText(current), make("span", { class: "trouble" }, current.trouble));
    fill(current.confusion);
    lookup("explorer-rule").replaceChildren(name(sentence(current)));
    lookup("explorer-python").textContent = python(current);
    picture();
  }

  // The picture: the ROC curve of two classes, or the front.
  let roc = null, lines = null;
  function picture() {
    const own = opened(state.classifier), element = lookup("explorer-figure"), caption = lookup("explorer-caption");
    if (c === 2 && own.table) {
      caption.textContent = "The operating point on the ROC curve of all thresholds; shaded: beyond the limits.";
      if (!roc) roc = polyroc.figure(element, () => 400, drawRoc);
      else if (roc.shown && roc.of === state.classifier) {
        const [x, y] = spot(), shapes = outside();
        requestAnimationFrame(() => Plotly.update(element, { x: [[x]], y: [[y]] }, { shapes }, [1]));
      }
      else roc.redraw();
      roc.of = state.classifier;
    } else if (own.front && c <= SHOWN) {
      const { packed } = own.front;
      const drawn = packed.draws === null ? "all there are" : `found with ${packed.draws} cost vectors`;
      const left = packed.left_out ? ` ${packed.left_out} more are not shown.` : "";
      caption.textContent = `${own.front.points} Pareto-optimal operating points (${drawn}), one line each; every axis runs from 0 to its largest rate. Thick: the operating point above. Drag along an axis, or move a slider, to limit an error.${left}`;
      lines = lines || polyroc.parallel(element, (k, m, most) => { limit(k, m, most); sync(); update(); });
      lines.show(own.front, state.limits, current.confusion.rates);
    } else {
      element.hidden = true;
      const rule = "the rule is Bayes' rule, with the costs of limited errors raised until the limits hold. Python may find a rule of lower cost within limits.";
      const many = `The front is not drawn: ${c} classes have ${errors.length} kinds of errors, too many axes.`;
      const none = `No front is searched${c > SHOWN ? " either, as sampled costs would find little of it" : ""}: ${rule}`;
      caption.textContent = [c > SHOWN ? many : "", own.front ? "" : none].join(" ").trim();
    }
  }
  function spot() {
    const p = explorer.positive, { rates } = current.confusion;
    return [rates[1 - p][p], rates[p][p]];
  }
  // The region excluded by the limits: too many false positives on the right, too many false negatives below.
  function outside() {
    const p = explorer.positive, most = (k, m) => state.limits.get(`${k},${m}`) ?? 1;
    const shade = (x0, x1, y0, y1) => ({ type: "rect", layer: "below", x0, x1, y0, y1, line: { width: 0 }, fillcolor: polyroc.faint("#888888", 0.22) });
    return [shade(most(1 - p, p), 1, 0, 1), shade(0, 1, 0, 1 - most(p, 1 - p))];
  }
  function drawRoc() {
    const { alarms, missed } = opened(state.classifier).thresholds;
    const step = Math.ceil(alarms.length / 2000);
    const kept = alarms.map((_, i) => i).filter((i) => i % step === 0 || i === alarms.length - 1);
    const line = { x: kept.map((i) => alarms[i]), y: kept.map((i) => 1 - missed[i]), mode: "lines", line: { color: polyroc.colour(state.classifier), width: 2 }, hoverinfo: "skip", showlegend: false };
    const [x, y] = spot();
    const point = { x: [x], y: [y], mode: "markers", marker: { size: 13, symbol: "diamond", color: polyroc.colour(1 + state.classifier) }, hoverinfo: "x+y", showlegend: false };
    return { traces: [line, point, polyroc.chance()], layout: { xaxis: polyroc.rate("false positive rate"), yaxis: polyroc.rate("true positive rate"), shapes: outside() } };
  }

  // The settings of the user.
  function limit(k, m, most) {
    if (most === null || most >= 1) state.limits.delete(`${k},${m}`);
    else state.limits.set(`${k},${m}`, most);
  }
  // Set one prior; the others keep their proportions.
  function prior(k, value) {
    const p = Math.min(1, Math.max(0, value)), rest = state.priors.reduce((a, x, i) => a + (i === k ? 0 : x), 0);
    state.priors = state.priors.map((x, i) => (i === k ? p : rest > 0 ? (x * (1 - p)) / rest : (1 - p) / (c - 1)));
  }
  const error = ([k, m]) => `${classes[k]} called ${classes[m]}`;
  const terms = []; // functions that update the controls
  let serial = 0;

  // A slider and a number for one quantity; get and set follow the selected error or class.
  function term(label, key, get, set, scale, attributes) {
    const id = `term-${serial++}`;
    const slider = make("input", { type: "range", id, ...scale.range, "data-slider": key });
    const box = make("input", { type: "number", ...attributes, "aria-label": `${label}, as a number`, "data-term": key });
    slider.addEventListener("input", () => { set(scale.from(Number(slider.value))); sync(slider); update(); });
    box.addEventListener("input", () => {
      const value = box.value === "" ? NaN : Number(box.value);
      if (!Number.isFinite(value) || value < 0) return;
      set(value);
      sync(box);
      update();
    });
    terms.push((skip) => {
      if (skip !== slider) slider.value = scale.to(get());
      if (skip !== box) box.value = Number(get().toFixed(5));
      slider.setAttribute("aria-valuetext", box.value);
    });
    return make("div", { class: "term" }, make("label", { for: id }, name(label)), slider, box);
  }
  function sync(skip) {
    terms.forEach((show) => show(skip));
  }
  const logarithmic = { range: { min: -2, max: 3, step: 0.05 }, from: (x) => Number((10 ** x).toPrecision(3)), to: (v) => Math.log10(Math.max(v, 0.01)) };
  const linear = { range: { min: 0, max: 1, step: 0.005 }, from: (x) => x, to: (v) => v };

  function costTerm(label, key, at) {
    return term(label, `cost ${key}`, () => state.costs[at()[0]][at()[1]], (v) => { state.costs[at()[0]][at()[1]] = v; }, logarithmic, { min: 0, step: "any" });
  }
  function limitTerm(label, key, at) {
    return term(label, `limit ${key}`, () => state.limits.get(at().join()) ?? 1, (v) => limit(...at(), v), linear, { min: 0, max: 1, step: "any" });
  }
  function priorTerm(label, key, at) {
    return term(label, `prior ${key}`, () => state.priors[at()], (v) => prior(at(), v), linear, { min: 0, max: 1, step: "any" });
  }
  function group(title, ...children) {
    return make("fieldset", {}, make("legend", {}, title), ...children);
  }
  // Many classes: select the error in the matrix or here, then move its sliders.
  function chosen() {
    const choose = (text, place) => {
      const made = polyroc.choice(text, classes, (i) => {
        const next = place ? [at[0], i] : [i, at[1]];
        if (next[0] === next[1]) next[1 - place] = (i + 1) % c;
        look(...next);
      });
      made.querySelector("select").dataset.at = place;
      made.querySelector("select").value = at[place];
      return made;
    };
    return group("Which error", choose("true ", 0), choose("called ", 1), make("p", { id: "explorer-error", class: "note", "aria-live": "polite" }));
  }

  function controls() {
    const few = c <= FEW, form = lookup("explorer-terms");
    form.parentElement.classList.toggle("manifold", c > SHOWN);
    form.addEventListener("submit", (event) => event.preventDefault());
    if (classifiers.length > 1) form.append(make("div", { class: "controls" }, polyroc.choice("Classifier", classifiers.map((i) => data.classifiers[i]), (i) => { state.classifier = classifiers[i]; update(); }, classifiers.indexOf(state.classifier))));
    if (c > 2 && opened(classifiers[0]).front && opened(classifiers[0]).table) {
      form.append(make("div", { class: "controls" }, polyroc.choice("Rule", ["Bayes' rule, probabilities as they are", "cheapest point of the front"], (i) => { state.source = i ? "front" : "table"; update(); })));
      form.append(make("p", { class: "note" }, c <= FEW ? "With a limit the front is used." : "With a limit: the front, or raised costs of the limited error, whichever is cheaper."));
    }
    const forErrors = (build) => (few ? errors.map((pair) => build(error(pair), pair.join(), () => pair)) : [build("this error", "chosen", () => at)]);
    if (!few) form.append(chosen());
    form.append(group("Cost of an error", ...forErrors(costTerm)));
    let current = 0;
    const choice = polyroc.choice("Class ", classes, (i) => { current = i; sync(); });
    form.append(group("Prior probability of a class", ...(c <= PRIORS ? classes.map((label, k) => priorTerm(label, k, () => k)) : [choice, priorTerm("this class", "chosen", () => current)])));
    form.append(group("Largest rate of an error", ...forErrors(limitTerm)));
    form.append(make("button", { type: "button", id: "explorer-reset", onclick: () => { reset(); sync(); update(); } }, "Reset (priors of the data, equal costs)"));
  }

  lookup("explorer-download").addEventListener("click", () => polyroc.save(stored(current.rule), "rule.json", "application/json"));
  lookup("explorer-csv").addEventListener("click", () => {
    const { counts, rates } = current.confusion;
    const rows = classes.flatMap((label, k) => classes.map((decision, m) => [label, decision, counts[k][m], rates[k][m], ...ends(k, m)]));
    polyroc.save(polyroc.csv([["true", "decision", "count", "rate", "low", "high"], ...rows]), "matrix.csv", "text/csv");
  });

  // The error that happens most often: of many classes, one is looked at first.
  function largest() {
    const { rates } = current.confusion;
    return errors.reduce((worst, [k, m]) => (rates[k][m] > rates[worst[0]][worst[1]] ? [k, m] : worst), errors[0]);
  }

  reset();
  controls();
  matrix();
  sync();
  update();
  if (c > FEW && current.rule) look(...largest());
  polyroc.explorer = { state, update, answer: () => current, rule: () => stored(current.rule) };
})();
