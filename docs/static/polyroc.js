// What the theme leaves out for keyboards and screen readers: code and tables that scroll have the focus, sidebars have names.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".highlight pre, .table-wrapper").forEach((each) => { each.tabIndex = 0; });
  for (const [part, name] of [[".sidebar-drawer", "Pages"], [".toc-drawer", "On this page"]]) {
    document.querySelectorAll(part).forEach((each) => each.setAttribute("aria-label", name));
  }
});
