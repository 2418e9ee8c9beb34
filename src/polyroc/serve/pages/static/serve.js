// The page's own script: send a file, say what its columns are, wait for the report.
"use strict";
const at = (id) => document.getElementById(id);
const SINGLE_ROLES = ["truth", "classifier", "case", "class_", "weight", "groups"];
const HEADERS = { "x-polyroc": "1" };

function showMessage(text, isError = false) {
  at("message").textContent = text;
  at("message").classList.toggle("error", isError);
}

// A share of the whole; undefined: not known; null: no bar.
function showProgress(share) {
  at("bar").hidden = share === null;
  if (share === undefined) at("bar").removeAttribute("value");
  else if (share !== null) at("bar").value = share;
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function post(path, body) {
  const response = await fetch(path, { method: "POST", headers: HEADERS, body });
  const content = await response.json();
  if (!response.ok) throw new Error(content.message);
  return content;
}

function upload(file) {
  const drop = at("drop");
  if (file.size > Number(drop.dataset.most)) return showMessage(`The file is larger than ${drop.dataset.size}.`, true);
  const request = new XMLHttpRequest(); // fetch does not tell how far an upload is
  request.open("POST", "/files?name=" + encodeURIComponent(file.name));
  request.setRequestHeader("x-polyroc", "1");
  request.responseType = "json";
  request.upload.onprogress = (event) => showProgress(event.loaded / event.total);
  request.onload = () => {
    if (request.status === 200) return location.assign("/files/" + request.response.key);
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

function choose() {
  const { columns, suggestions } = JSON.parse(at("data").textContent);
  const form = at("columns"), key = form.dataset.key;
  const selects = [...form.querySelectorAll("select")];
  const mark = () => selects.forEach((select) => select.classList.toggle("chosen", select.value !== ""));
  form.addEventListener("change", mark);
  if (at("use-suggestions")) at("use-suggestions").addEventListener("click", () => {
    for (const { role, columns: suggested } of suggestions)
      selects.forEach((select, i) => { if (suggested.includes(columns[i])) select.value = role; });
    mark();
    form.querySelector("button.main").focus();
  });
  const chosen = (role) => columns.filter((_, i) => selects[i].value === role);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const twice = SINGLE_ROLES.find((role) => chosen(role).length > 1);
    if (twice) return showMessage(`Two columns have the same role (${chosen(twice).join(", ")}); only scores can have several.`, true);
    if (!chosen("truth").length) return showMessage("Choose the column of the true classes.", true);
    if (!chosen("scores").length) return showMessage("Choose the column or columns of the scores.", true);
    const choice = { scores: chosen("scores"), missing: at("missing").checked ? "drop" : "", pos_label: at("pos_label").value.trim(), sampling: at("sampling").checked ? "case-control" : "", weight_kind: at("weight_kind").checked ? "frequency" : "", decimal: at("decimal").checked ? "," : "" };
    for (const role of SINGLE_ROLES) choice[role] = chosen(role)[0] || "";
    choice.labels = at("labels").value.split("\n").map((line) => line.trim()).filter((line) => line);
    at("done").hidden = true;
    try {
      await post(`/files/${key}/report`, JSON.stringify(choice));
      await wait(key);
    } catch (error) {
      showProgress(null);
      showMessage(error.message, true);
      if (/More options/.test(error.message)) form.querySelector("details").open = true;
    }
  });
}

async function wait(key) {
  showProgress();
  for (;;) {
    const response = await fetch(`/files/${key}/state`, { headers: HEADERS });
    if (response.status === 503) { await pause(5000); continue; } // too many requests at the moment
    const state = await response.json();
    if (!response.ok) throw new Error(state.message);
    if (state.what === "failed" || state.what === "stopped") throw new Error(state.step || "Stopped.");
    if (state.what === "done") break;
    showProgress(state.total ? state.done / state.total : undefined);
    showMessage(state.what === "waiting" ? `Waiting: your report is number ${state.place} of ${state.length} in the queue ...` : `Working: ${state.step} ...`);
    await pause(300);
  }
  showProgress(null);
  showMessage("The report is ready.");
  at("done").hidden = false;
  at("report").src = `/files/${key}/report`;
  at("done").scrollIntoView({ behavior: "smooth" });
}

at("end").addEventListener("click", async () => { await post("/end"); location.assign("/"); });
if (at("drop")) home();
if (at("columns")) choose();
