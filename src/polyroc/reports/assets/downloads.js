// Downloads: the tables as CSV, the rule as JSON.
polyroc.save = function (text, file, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  polyroc.make("a", { href: address, download: file }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};
// Rows as CSV; a text that looks like a formula gets a quote in front.
polyroc.csv = function (rows) {
  const isNumber = (text) => text === text.trim() && !Number.isNaN(Number(text));
  const cell = (value) => {
    const text = typeof value === "number" ? (Number.isNaN(value) ? "" : String(value)) : value;
    const quoted = typeof value === "string" && /^(?:[\s\x00-\x1f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n\x00])/.test(text) && !isNumber(text) ? `'${text}` : text;
    return /[",\r\n]/.test(quoted) ? `"${quoted.replace(/"/g, '""')}"` : quoted;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
};
for (const button of document.querySelectorAll("button.csv")) {
  const file = button.dataset.file;
  button.addEventListener("click", () => polyroc.save(polyroc.data.csv[file] + "\n", `${file}.csv`, "text/csv"));
}
// A text that is to be pasted elsewhere; where the clipboard is not allowed, it is selected.
for (const button of document.querySelectorAll("button.copy")) {
  const source = document.getElementById(button.dataset.of), status = button.parentElement.querySelector("[role=status]");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      status.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(source);
      status.textContent = "Selected: copy it with the keyboard.";
    }
  });
}
