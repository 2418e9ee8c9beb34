// Read the file in another encoding, with another decimal sign, or another sheet.
"use strict";
function readAgain(event) {
  event.preventDefault();
  const chosen = ["encoding", "decimal", "table"].map((name) => [name, at(name).value]).filter(([, value]) => value);
  location.assign(location.pathname + "?" + new URLSearchParams(chosen));
}
if (at("reading")) at("reading").addEventListener("submit", readAgain);
if (at("read-again")) at("read-again").addEventListener("click", readAgain);
