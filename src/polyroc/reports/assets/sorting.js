// Tables whose columns sort their rows; the state is announced by aria-sort.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0], before = [...body.rows];
  const number = (text) => (/^<?\s*[\d.+\u2212-]/.test(text) ? parseFloat(text.replace(/^<\s*/, "").replace("\u2212", "-")) : NaN);
  const compare = (a, b) => {
    const [x, y] = [number(a), number(b)];
    return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
  };
  heads.forEach((head, at) => {
    if (head.querySelector(".hidden") || !head.textContent) return;
    const sort = () => {
      const now = { ascending: "descending", descending: "none" }[head.getAttribute("aria-sort")] || "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      if (now !== "none") head.setAttribute("aria-sort", now);
      const text = (row) => row.cells[at].textContent.trim();
      const sign = now === "descending" ? -1 : 1;
      body.append(...(now === "none" ? before : [...before].sort((a, b) => sign * compare(text(a), text(b)))));
    };
    head.replaceChildren(polyroc.make("button", { type: "button", class: "sort", onclick: sort }, head.textContent));
  });
}
