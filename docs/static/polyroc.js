// What the theme leaves out for keyboards and screen readers: code and tables that scroll have the focus, sidebars have names, captions a level.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("[role=heading]:not([aria-level])").forEach((each) => each.setAttribute("aria-level", "2"));
  document.querySelectorAll(".highlight pre, .table-wrapper, .formula").forEach((each) => { each.tabIndex = 0; });
  for (const [part, name] of [[".sidebar-drawer", "Pages"], [".toc-drawer", "On this page"]]) {
    document.querySelectorAll(part).forEach((each) => each.setAttribute("aria-label", name));
  }
  const article = document.querySelector("article"); // the page of the search has no title
  if (article && !document.querySelector("h1")) article.prepend(Object.assign(document.createElement("h1"), { textContent: "Search" }));
});
