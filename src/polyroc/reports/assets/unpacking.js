"use strict";
// The data and the scripts are in the page as deflated bytes (RFC 1951), unpacked by lines of our own: what browsers offer
// for it is asynchronous, and a page that is printed at once would have no pictures.
const polyroc = { figures: [] };

polyroc.inflated = function (bytes, size) {
  const out = new Uint8Array(size);
  let at = 0, place = 0, held = 0, had = 0; // bytes written and read; bits read and not used yet, and how many

  function need(count) {
    for (; had < count; had += 8) held |= bytes[place++] << had;
  }
  function bits(count) {
    need(count);
    const value = held & ((1 << count) - 1);
    held >>>= count;
    had -= count;
    return value;
  }
  // Canonical Huffman codes from the lengths of the codes of all symbols: at every number that begins with a code (in
  // the order of the bits, the lowest first), its symbol and its length.
  function coded(lengths) {
    const longest = Math.max(1, ...lengths), table = new Uint16Array(1 << longest);
    for (let length = 1, code = 0; length <= longest; length++, code <<= 1) {
      lengths.forEach((own, symbol) => {
        if (own !== length) return;
        let first = 0;
        for (let bit = 0; bit < length; bit++) first |= ((code >> bit) & 1) << (length - 1 - bit);
        for (let i = first; i < table.length; i += 1 << length) table[i] = (symbol << 4) | length;
        code++;
      });
    }
    return { table, longest };
  }
  function symbol({ table, longest }) {
    need(longest);
    const entry = table[held & (table.length - 1)], length = entry & 15;
    if (!length) throw new Error("The page is damaged.");
    held >>>= length;
    had -= length;
    return entry >> 4;
  }
  function lengthsOf(count, codes) {
    const lengths = [];
    while (lengths.length < count) {
      const next = symbol(codes);
      if (next < 16) lengths.push(next);
      else {
        const last = next === 16 ? lengths[lengths.length - 1] : 0;
        const times = next === 18 ? 11 + bits(7) : 3 + bits(next - 14);
        for (let i = 0; i < times; i++) lengths.push(last);
      }
    }
    return lengths;
  }
  function codesOfBlock(kind) {
    if (kind === 1) return [coded(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))), coded(Array(30).fill(5))];
    const literals = 257 + bits(5), distances = 1 + bits(5), given = 4 + bits(4), lengths = Array(19).fill(0);
    for (const i of [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].slice(0, given)) lengths[i] = bits(3);
    const all = lengthsOf(literals + distances, coded(lengths));
    return [coded(all.slice(0, literals)), coded(all.slice(literals))];
  }
  // Bases of lengths and distances: each number of extra bits is that of `each` symbols.
  function bases(first, each, plain, count) {
    const made = [];
    for (let i = 0, base = first; i < count; i++) {
      const extra = Math.max(0, Math.floor((i - plain) / each) + 1);
      made.push([base, extra]);
      base += 1 << extra;
    }
    return made;
  }
  const lengths = [...bases(3, 4, 8, 28), [258, 0]], distances = bases(1, 2, 4, 30);

  for (let last = 0; !last; ) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) { // stored
      place -= had >> 3; // whole bytes that were read ahead
      held = had = 0;
      const count = bytes[place] | (bytes[place + 1] << 8);
      out.set(bytes.subarray(place + 4, place + 4 + count), at);
      place += 4 + count;
      at += count;
      continue;
    }
    const [literal, distance] = codesOfBlock(kind);
    for (let next = symbol(literal); next !== 256; next = symbol(literal)) {
      if (next < 256) { out[at++] = next; continue; }
      const [count, more] = lengths[next - 257], end = at + count + bits(more);
      const [back, further] = distances[symbol(distance)], offset = back + bits(further);
      for (; at < end; at++) out[at] = out[at - offset];
    }
  }
  return out;
};
polyroc.bytes = function (base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
};
polyroc.unpacked = function (id) {
  const element = document.getElementById(id);
  return new TextDecoder().decode(polyroc.inflated(polyroc.bytes(element.textContent), Number(element.dataset.size)));
};
// A script element with this text is allowed by its fingerprint, as if it had been in the page.
polyroc.run = function (id) {
  const script = document.createElement("script");
  script.textContent = polyroc.unpacked(id);
  document.head.append(script);
};
polyroc.plotly = function () {
  if (!window.Plotly) polyroc.run("plotly"); // for the first figure
  return window.Plotly;
};
polyroc.data = JSON.parse(polyroc.unpacked("data"));
polyroc.run("scripts");
