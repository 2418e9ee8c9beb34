// Decision rules, confusion rates and intervals, with the same steps as in Python so that both give the same counts.
polyroc.decisions = (function () {
  const EQUAL = 1e-12; // rates and costs that differ by less are equal up to rounding
  const ROUNDING = 1e-12; // risks that differ by less, relative to the smallest, tie

  // CostRule: the class j with the least sum over k of L[k][j] p_k, the first of those that tie.
  function byCosts(values, c, L) {
    const n = values.length / c;
    const assigned = new Uint16Array(n);
    const risk = new Float64Array(c);
    const flat = Float64Array.from(L.flat());
    for (let i = 0; i < n; i++) {
      risk.fill(0);
      for (let k = 0; k < c; k++) {
        const p = values[i * c + k];
        for (let j = 0; j < c; j++) risk[j] += p * flat[k * c + j];
      }
      let least = risk[0];
      for (let j = 1; j < c; j++) if (risk[j] < least) least = risk[j];
      const bound = least + ROUNDING * Math.abs(least);
      let j = 0;
      while (!(risk[j] <= bound)) j++;
      assigned[i] = j;
    }
    return assigned;
  }

  // ThresholdRule: the positive class if the score is at least the threshold.
  function byThreshold(values, positive, threshold) {
    const assigned = new Uint16Array(values.length);
    for (let i = 0; i < assigned.length; i++) assigned[i] = values[i] >= threshold ? positive : 1 - positive;
    return assigned;
  }

  // Two classes: every threshold in descending order from infinity, with the false negative and false positive rates.
  function thresholds(table, positive) {
    const { values, codes } = table;
    const order = Uint32Array.from(values.keys()).sort((a, b) => values[b] - values[a] || a - b);
    const curve = { values: [Infinity], missed: [], alarms: [] };
    const mass = [[0], [0]];
    const sum = [0, 0];
    order.forEach((i, place) => {
      sum[codes[i]] += table.weight ? table.weight[i] : table.times ? table.times[i] : 1;
      const next = order[place + 1];
      if (next === undefined || values[next] !== values[i]) {
        curve.values.push(values[i]);
        mass[0].push(sum[0]);
        mass[1].push(sum[1]);
      }
    });
    curve.missed = mass[positive].map((m) => 1 - m / sum[positive]);
    curve.alarms = mass[1 - positive].map((m) => m / sum[1 - positive]);
    return curve;
  }

  function scaled(losses) {
    const most = Math.max(...losses.flat());
    return losses.map((row) => row.map((x) => x / most));
  }

  // The threshold of least cost within the limits; of several, the highest. Null if none satisfies them.
  function bestThreshold(every, losses, limits, positive) {
    const L = scaled(losses), p = positive, n = 1 - positive;
    const rate = (k, i) => (k === p ? every.missed[i] : every.alarms[i]);
    const cost = every.values.map((_, i) =>
      limits.every(([k, , most]) => rate(k, i) <= most + EQUAL) ? L[p][n] * every.missed[i] + L[n][p] * every.alarms[i] : Infinity);
    const least = cost.reduce((a, b) => Math.min(a, b), Infinity);
    if (least === Infinity) return null;
    return every.values[cost.findIndex((w) => w <= least + EQUAL * Math.max(1, Math.abs(least)))];
  }

  // The point of a front with the least cost within the limits; among ties the one with fewest errors, then the first.
  function pick(front, losses, limits) {
    const { c, points, rates } = front;
    const L = scaled(losses).flat();
    const size = c * c;
    const excess = new Float64Array(points), cost = new Float64Array(points);
    let least = Infinity, nearest = 0;
    for (let i = 0; i < points; i++) {
      for (const [k, m, most] of limits) excess[i] += Math.max(rates[i * size + k * c + m] - most - EQUAL, 0);
      if (excess[i] < excess[nearest]) nearest = i;
      let sum = 0;
      for (let e = 0; e < size; e++) sum += L[e] * rates[i * size + e];
      cost[i] = excess[i] <= EQUAL ? sum : Infinity;
      if (cost[i] < least) least = cost[i];
    }
    if (least === Infinity) return { point: nearest, kept: false };
    const cheapest = [];
    for (let i = 0; i < points; i++) if (cost[i] <= least + EQUAL) cheapest.push(i);
    const errors = cheapest.map((i) => {
      let sum = 0;
      for (let k = 0; k < c; k++) for (let m = 0; m < c; m++) if (k !== m) sum += rates[i * size + k * c + m];
      return sum;
    });
    const fewest = errors.reduce((a, b) => Math.min(a, b));
    return { point: cheapest[errors.findIndex((e) => e <= fewest + EQUAL)], kept: true };
  }

  const square = (c) => Array.from({ length: c }, () => new Float64Array(c));

  // The confusion matrix. `variance(g)` is the variance of the sum of rates times coefficients g, given class sizes.
  function confusion(table, assigned, c) {
    const counts = square(c), squares = square(c), units = new Float64Array(c);
    const { codes, times, weight, groups } = table;
    for (let i = 0; i < codes.length; i++) {
      const k = codes[i], m = assigned[i];
      const t = times ? times[i] : 1, w = weight ? weight[i] : t;
      counts[k][m] += w;
      squares[k][m] += table.square ? table.square[i] : weight ? w * w : t;
      units[k] += t;
    }
    const matrix = fromCounts(counts, squares, units);
    if (groups) Object.assign(matrix, clustered(table, assigned, matrix));
    return matrix;
  }

  function fromCounts(counts, squares, units) {
    const totals = counts.map((row) => row.reduce((a, b) => a + b, 0));
    const rates = counts.map((row, k) => Array.from(row, (x) => x / totals[k]));
    const effective = totals.map((total, k) => (total * total) / squares[k].reduce((a, b) => a + b, 0));
    function variance(g) {
      let sum = 0;
      g.forEach((slope, k) => {
        if (!slope.some((x) => x !== 0)) return;
        const mean = slope.reduce((a, x, m) => a + x * rates[k][m], 0);
        let own = 0;
        slope.forEach((x, m) => { own += squares[k][m] * (x - mean) ** 2; });
        sum += units[k] > 1 ? (own / totals[k] ** 2) * (units[k] / (units[k] - 1)) : NaN;
      });
      return sum;
    }
    return { counts, totals, rates, effective, variance };
  }

  // The same for cases in groups: influence values are summed within each group first.
  function clustered(table, assigned, { totals, rates }) {
    const { codes, weight, groups } = table;
    const c = totals.length, n = codes.length;
    const groupCount = groups.reduce((a, b) => Math.max(a, b), 0) + 1;
    const groupMass = Array.from({ length: c }, () => new Float64Array(groupCount));
    for (let i = 0; i < n; i++) groupMass[codes[i]][groups[i]] += weight ? weight[i] : 1;
    const present = groupMass.map((row) => row.filter((x) => x > 0).length);
    const effective = groupMass.map((row, k) => totals[k] ** 2 / row.reduce((a, x) => a + x * x, 0));
    function variance(g) {
      const influence = new Float64Array(groupCount);
      const means = g.map((slope, k) => slope.reduce((a, x, m) => a + x * rates[k][m], 0));
      const used = g.map((slope) => slope.some((x) => x !== 0));
      for (let i = 0; i < n; i++) {
        const k = codes[i];
        if (!used[k]) continue;
        const corrected = present[k] > 1 ? Math.sqrt(present[k] / (present[k] - 1)) : NaN;
        influence[groups[i]] += ((weight ? weight[i] : 1) * (g[k][assigned[i]] - means[k]) / totals[k]) * corrected;
      }
      return influence.reduce((a, x) => a + x * x, 0);
    }
    return { effective, variance };
  }

  // The guarded logit interval; Wilson's where the standard error is zero (polyroc.estimates.intervals).
  function interval(value, error, low, high, n, z) {
    if (Number.isNaN(value) || (Number.isNaN(error) && Number.isNaN(n))) return [NaN, NaN];
    if (low === high) return [low, high];
    const span = high - low, p = (value - low) / span, e = error / span;
    let ends;
    if (!(e >= 1e-12)) ends = wilson(p, n, z);
    else if (!(p > 0 && p < 1)) ends = [p - z * e, p + z * e];
    else {
      const guarded = (q) => logit(q, Math.sqrt(e * e + (0.5 * q * (1 - q)) / (n * n)), z);
      const plain = logit(p, e, z), edge = wilson(p, n, z), wide = guarded(p), recentred = guarded((n * p + 0.5) / (n + 1));
      ends = [
        Math.min(plain[0], Math.max(Math.min(wide[0], recentred[0]), edge[0])),
        Math.max(plain[1], Math.min(Math.max(wide[1], recentred[1]), edge[1])),
      ];
    }
    return [Math.max(low, Math.min(low + span * ends[0], value)), Math.min(high, Math.max(low + span * ends[1], value))];
  }

  function logit(p, e, z) {
    const centre = Math.log(p / (1 - p)), reach = (z * e) / (p * (1 - p));
    return [logistic(centre - reach), logistic(centre + reach)];
  }

  const logistic = (x) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x)));

  function wilson(p, n, z) {
    const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
    const reach = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
    return [Math.max(0, middle - reach), Math.min(1, middle + reach)];
  }

  function rateInterval(confusion, k, m, z) {
    const g = confusion.rates.map((row, a) => row.map((_, b) => (a === k && b === m ? 1 : 0)));
    return interval(confusion.rates[k][m], Math.sqrt(confusion.variance(g)), 0, 1, confusion.effective[k], z);
  }

  function costOf(confusion, losses, z) {
    let value = 0;
    losses.forEach((row, k) => row.forEach((x, m) => { if (x) value += x * confusion.rates[k][m]; }));
    const most = losses.reduce((a, row) => a + Math.max(...row), 0);
    let n = Infinity;
    losses.forEach((row, k) => {
      const reach = Math.max(...row) - Math.min(...row);
      if (reach > 0) n = Math.min(n, (confusion.effective[k] * most) / reach);
    });
    return [value, ...interval(value, Math.sqrt(confusion.variance(losses)), 0, most, n, z)];
  }

  return { byCosts, byThreshold, thresholds, bestThreshold, pick, confusion, fromCounts, rateInterval, costOf, interval };
})();
