// What all pages share: messages, progress, requests, tables, the upload, the end of the session.
"use strict";
const at = (id) => document.getElementById(id);
const HEADERS = { "x-polyroc": "1" };

function showMessage(text, isError = false) {
  at("message").textContent = text;
  at("message").classList.toggle("error", isError);
  if (isError) at("message").scrollIntoView({ block: "nearest" });
}

// A share of the whole; undefined: not known; null: no bar.
function showProgress(share) {
  at("bar").hidden = share === null;
  if (share === undefined) at("bar").removeAttribute("value");
  else if (share !== null) at("bar").value = share;
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

async function post(path, body) {
  const response = await fetch(path, { method: "POST", headers: HEADERS, body });
  const content = await response.json().catch(() => ({ message: "The page is busy; try again in a minute." }));
  if (!response.ok) throw new Error(content.message);
  return content;
}

// The command line and the lines of Python that do the same.
function showCommands({ command, python }) {
  at("commands").hidden = false;
  at("shell").hidden = command === null;
  at("no-shell").hidden = command !== null;
  at("command").textContent = command || "";
  at("python").textContent = python;
  if (command === null) at("commands").querySelector("details").open = true;
}

// A table with its sentences; names stay text.
function showTable({ title, columns, rows, notes }) {
  const table = element("table"), head = element("tr"), body = element("tbody");
  table.append(element("caption", title));
  for (const column of columns) head.append(element("th", column, { scope: "col" }));
  const top = element("thead");
  top.append(head);
  for (const row of rows) {
    const line = element("tr");
    row.forEach((cell, i) => line.append(i ? element("td", cell) : element("th", cell, { scope: "row" })));
    body.append(line);
  }
  table.append(top, body);
  const wide = element("div", undefined, { class: "wide", role: "region", "aria-label": title, tabindex: "0" });
  wide.append(table);
  at("table-of-results").replaceChildren(wide, ...notes.map((note) => element("p", note)));
  at("done").hidden = false;
}

function upload(file) {
  const drop = at("drop");
  if (file.size > Number(drop.dataset.most)) return showMessage(`The file is larger than ${drop.dataset.size}.`, true);
  const request = new XMLHttpRequest(); // fetch does not tell how far an upload is
  request.open("POST", "/files?name=" + encodeURIComponent(file.name));
  request.setRequestHeader("x-polyroc", "1");
  request.responseType = "json";
  request.upload.onprogress = (event) => showProgress(event.loaded / event.total);
  request.upload.onload = () => { showProgress(undefined); showMessage("Reading " + file.name.slice(0, 80) + " ..."); };
  request.onload = () => {
    const more = drop.dataset.task === "operating-point" ? "/operating-point" : "";
    if (request.status === 200) return location.assign("/files/" + request.response.key + more);
    showProgress(null);
    showMessage(request.response ? request.response.message : "The server rejected the file.", true);
  };
  request.onerror = () => { showProgress(null); showMessage("The file could not be sent; is the server still running?", true); };
  showMessage("Sending " + file.name.slice(0, 80) + " ...");
  showProgress(0);
  request.send(file);
}

function home() {
  const drop = at("drop");
  at("file").addEventListener("change", (event) => event.target.files[0] && upload(event.target.files[0]));
  for (const kind of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files[0]) upload(event.dataTransfer.files[0]);
    });
  }
}

for (const button of document.querySelectorAll("button.copy")) button.addEventListener("click", async () => {
  const text = at(button.dataset.of).textContent, status = button.nextElementSibling;
  try {
    await navigator.clipboard.writeText(text);
    status.textContent = "Copied.";
  } catch { // not available without encryption: select it, so that the keyboard copies it
    getSelection().selectAllChildren(at(button.dataset.of));
    status.textContent = "Selected; press Ctrl-C.";
  }
});
at("end").addEventListener("click", async () => { await post("/end"); location.assign("/"); });
if (at("drop")) home();
