// The page's own script: send a file, say what its columns are, wait for the report.
"use strict";
const at = (id) => document.getElementById(id);
const OURS = { "x-polyroc": "1" };

function say(text, trouble = false) {
  at("message").textContent = text;
  at("message").classList.toggle("trouble", trouble);
}

function bar(share) {
  at("bar").hidden = share === null;
  if (share === undefined) at("bar").removeAttribute("value");
  else if (share !== null) at("bar").value = share;
}

async function post(path, body) {
  const answer = await fetch(path, { method: "POST", headers: OURS, body });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.message);
  return found;
}

function bring(file) {
  const drop = at("drop");
  if (file.size > Number(drop.dataset.most)) return say(`The file is larger than ${drop.dataset.size}.`, true);
  const request = new XMLHttpRequest(); // fetch does not tell how far an upload is
  request.open("POST", "/files?name=" + encodeURIComponent(file.name));
  request.setRequestHeader("x-polyroc", "1");
  request.responseType = "json";
  request.upload.onprogress = (event) => bar(event.loaded / event.total);
  request.onload = () => {
    if (request.status === 200) return location.assign("/files/" + request.response.key);
    bar(null);
    say(request.response ? request.response.message : "The server rejected the file.", true);
  };
  request.onerror = () => { bar(null); say("The file could not be sent; is the server still running?", true); };
  say("Sending " + file.name.slice(0, 80) + " ...");
  bar(0);
  request.send(file);
}

function home() {
  const drop = at("drop");
  at("file").addEventListener("change", (event) => event.target.files[0] && bring(event.target.files[0]));
  for (const kind of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files[0]) bring(event.dataTransfer.files[0]);
    });
  }
}

function choose() {
  const { columns, suggestions } = JSON.parse(at("data").textContent);
  const form = at("columns"), key = form.dataset.key;
  const parts = [...form.querySelectorAll("select")];
  const mark = () => parts.forEach((part) => part.classList.toggle("chosen", part.value !== ""));
  form.addEventListener("change", mark);
  if (at("use")) at("use").addEventListener("click", () => {
    for (const { part, columns: named } of suggestions)
      parts.forEach((select, i) => { if (named.includes(columns[i].name)) select.value = part; });
    mark();
    form.querySelector("button.main").focus();
  });
  const named = (part) => columns.filter((_, i) => parts[i].value === part).map((column) => column.name);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const twice = ["truth", "classifier", "case", "class_", "weight", "groups"].find((part) => named(part).length > 1);
    if (twice) return say(`Two columns have the same role (${named(twice).join(", ")}); only scores can have several.`, true);
    if (!named("truth").length) return say("Choose the column of the true classes.", true);
    if (!named("scores").length) return say("Choose the column or columns of the scores.", true);
    const asked = { scores: named("scores"), missing: at("missing").checked ? "drop" : "", pos_label: at("pos_label").value.trim(), sampling: at("sampling").checked ? "case-control" : "", weight_kind: at("weight_kind").checked ? "frequency" : "" };
    for (const part of ["truth", "classifier", "case", "class_", "weight", "groups"]) asked[part] = named(part)[0] || "";
    asked.labels = at("labels").value.split("\n").map((line) => line.trim()).filter((line) => line);
    at("done").hidden = true;
    try {
      await post(`/files/${key}/report`, JSON.stringify(asked));
      await wait(key);
    } catch (trouble) {
      bar(null);
      say(trouble.message, true);
      if (/More options/.test(trouble.message)) form.querySelector("details").open = true;
    }
  });
}

async function wait(key) {
  bar();
  for (;;) {
    const answer = await fetch(`/files/${key}/state`, { headers: OURS });
    const now = await answer.json();
    if (!answer.ok) throw new Error(now.message);
    if (now.what === "failed" || now.what === "stopped") throw new Error(now.step || "Stopped.");
    if (now.what === "done") break;
    bar(now.total ? now.done / now.total : undefined);
    say(now.what === "waiting" ? "Waiting for another report to be finished ..." : `Working: ${now.step} ...`);
    await new Promise((again) => setTimeout(again, 300));
  }
  bar(null);
  say("The report is ready.");
  at("done").hidden = false;
  at("report").src = `/files/${key}/report`;
  at("done").scrollIntoView({ behavior: "smooth" });
}

at("end").addEventListener("click", async () => { await post("/end"); location.assign("/"); });
if (at("drop")) home();
if (at("columns")) choose();
