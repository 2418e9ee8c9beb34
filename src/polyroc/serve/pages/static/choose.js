// Choose the roles of the columns, the classes and the aim; then wait for the result.
"use strict";
const data = JSON.parse(at("data").textContent);
const form = at("columns"), key = form.dataset.key, operating = data.task === "operating-point";
const selects = [...form.querySelectorAll("select[data-column]")];
const nameFields = [...form.querySelectorAll("[data-name]")], reversedFields = [...form.querySelectorAll("[data-reversed]")];
const chosen = (role) => data.columns.filter((_, i) => selects[i].value === role);
const truth = () => chosen("truth")[0];
const classes = () => data.classes[truth()] || [];
const stacked = () => chosen("classifier").length > 0 || chosen("class_").length > 0 || chosen("reader").length > 0;
let shownTruth;

// The classifier of a score column: as typed, else that of the columns of its classes, else the column itself.
const classifierOf = (i) => nameFields[i].value.trim() || suggestedName(i);
const suggestedName = (i) => ((data.names[truth()] || {})[data.columns[i]]) || data.columns[i];

function classifiers() {
  const found = {};
  data.columns.forEach((column, i) => { if (selects[i].value === "scores") (found[classifierOf(i)] ||= []).push(column); });
  return found;
}

// Names are needed for several classifiers only, or if one was typed.
function namesToSend() {
  const found = classifiers();
  const typed = nameFields.some((field, i) => selects[i].value === "scores" && field.value.trim());
  if (stacked() || (Object.keys(found).length < 2 && !typed)) return {};
  return Object.fromEntries(Object.entries(found).flatMap(([name, columns]) => columns.map((column) => [column, name])));
}

function update() {
  selects.forEach((select, i) => {
    const isScore = select.value === "scores";
    select.classList.toggle("chosen", select.value !== "");
    nameFields[i].parentElement.hidden = !isScore;
    nameFields[i].hidden = stacked();
    nameFields[i].placeholder = suggestedName(i);
    reversedFields[i].parentElement.hidden = stacked() || classifiers()[classifierOf(i)]?.length > 1;
  });
  const found = Object.entries(classifiers());
  at("classifiers").textContent = stacked() || !found.length ? "" : (found.length === 1 ? "One classifier: " : `${found.length} classifiers: `)
    + found.map(([name, columns]) => columns.length > 1 || columns[0] !== name ? `${name} (${columns.join(", ")})` : name).join("; ");
  if (truth() !== shownTruth) showClasses();
  if (operating) showAims(found.map(([name]) => name));
}

function showClasses() {
  shownTruth = truth();
  const values = classes();
  at("classes").hidden = !shownTruth;
  at("many").hidden = !shownTruth || values.length > 0;
  at("many").textContent = "This column has very many values; it is probably not the column of the true classes.";
  at("positive").hidden = values.length !== 2;
  at("ordered").closest("p").hidden = values.length < 1;
  at("ordered").checked = false;
  at("labels").hidden = true;
  const options = [element("option", "choose ...", { value: "" }), ...values.map((value) => element("option", value, { value }))];
  at("pos_label").replaceChildren(...options);
  const known = [["0", "1"], ["-1", "1"], ["False", "True"], ["false", "true"], ["FALSE", "TRUE"], ["0.0", "1.0"]];
  if (known.some(([no, yes]) => values.includes(no) && values.includes(yes)) && values.length === 2) at("pos_label").value = values[1];
  chips.show(values);
  if (operating) showCosts(values);
}

function showCosts(values) {
  const fields = at("cost-fields");
  fields.replaceChildren();
  if (values.length > 8) return fields.append(element("p", "For more than eight classes give the costs on the command line."));
  for (const called of values) for (const real of values) {
    if (real === called) continue;
    const label = element("label", `${real} is called ${called}: `), input = element("input", undefined, { type: "text", inputmode: "decimal", size: "6", value: "1" });
    input.dataset.real = real;
    input.dataset.called = called;
    label.append(input);
    const line = element("p");
    line.append(label);
    fields.append(line);
  }
  const trust = element("label", " The probabilities are right: Bayes' rule, not chosen on these cases"), box = element("input", undefined, { type: "checkbox", id: "calibrated" });
  trust.prepend(box);
  const line = element("p");
  line.append(trust);
  fields.append(line);
}

function showAims(names) {
  for (const choice of form.querySelectorAll("[data-two]")) {
    choice.disabled = classes().length > 2;
    if (choice.disabled && choice.checked) form.querySelector("[name=aim]").checked = true;
  }
  const aim = form.querySelector("[name=aim]:checked").value;
  at("rate-field").hidden = aim !== "sensitivity" && aim !== "specificity";
  at("cost-fields").hidden = aim !== "costs";
  at("which").hidden = stacked() || names.length < 2;
  if ([...at("only").options].map((option) => option.value).join("\n") === names.join("\n")) return;
  at("only").replaceChildren(...names.map((name) => element("option", name, { value: name })));
}

function useSuggestions() {
  selects.forEach((select) => { select.value = ""; });
  for (const { role, columns } of data.suggestions)
    selects.forEach((select, i) => { if (columns.includes(data.columns[i]) && [...select.options].some((option) => option.value === role)) select.value = role; });
  update();
  for (const { role, columns } of data.suggestions) {
    if (role === "pos_label") at("pos_label").value = columns[0];
    if (role === "missing") at("missing").checked = true;
  }
  const problem = unfinished();
  showMessage(problem ? "Next: " + problem.text : "");
  (problem ? problem.field : form.querySelector("button.main")).focus();
}

function namedClasses() { return at("ordered").checked ? chips.labels : classes(); }

// What is still to be chosen, and where; undefined if nothing is.
function unfinished() {
  const twice = [...new Set(selects.map((select) => select.value))].find((role) => role && !data.several.includes(role) && chosen(role).length > 1);
  const first = (role) => selects.find((select) => select.value === role) || selects[0];
  if (twice) return { text: `two columns have the same role (${chosen(twice).join(", ")}); only scores and subgroups can have several.`, field: first(twice) };
  if (!truth()) return { text: "choose the column of the true classes.", field: selects[0] };
  if (!chosen("scores").length) return { text: "choose the column or columns of the scores.", field: selects[0] };
  if (chosen("modality").length && !chosen("reader").length) return { text: "choose the column of the readers.", field: first("modality") };
  if (namedClasses().length === 2 && !at("pos_label").value) return { text: "choose the positive class.", field: at("pos_label") };
}

function choice() {
  const picked = { scores: chosen("scores"), names: namesToSend(), by: chosen("by"), reversed: data.columns.filter((_, i) => selects[i].value === "scores" && reversedFields[i].checked && !reversedFields[i].parentElement.hidden) };
  selects.forEach((select, i) => { if (select.value && !data.several.includes(select.value)) picked[select.value] = data.columns[i]; });
  picked.labels = at("ordered").checked ? chips.labels : [];
  picked.pos_label = namedClasses().length === 2 ? at("pos_label").value : "";
  Object.assign(picked, { missing: at("missing").checked ? "drop" : "", sampling: at("sampling").checked ? "case-control" : "", weight_kind: at("weight_kind").checked ? "frequency" : "" }, data.reading);
  if (!operating) return picked;
  picked.aim = form.querySelector("[name=aim]:checked").value;
  picked.rate = at("rate").value.trim();
  picked.only = at("which").hidden ? "" : at("only").value;
  picked.bootstrap = at("bootstrap").checked;
  picked.calibrated = at("calibrated") ? at("calibrated").checked : false;
  picked.costs = [...at("cost-fields").querySelectorAll("[data-real]")].map((field) => [field.dataset.real, field.dataset.called, field.value.trim()]);
  return picked;
}

async function wait() {
  const started = Date.now();
  let furthest = 0;
  showProgress();
  for (;;) {
    const response = await fetch(`/files/${key}/state?task=${data.task}`, { headers: HEADERS });
    if (response.status === 503) { await pause(5000); continue; } // too many requests at the moment
    const state = await response.json();
    if (!response.ok) throw new Error(state.message);
    if (state.what === "failed" || state.what === "stopped") throw new Error(state.step || "Stopped.");
    if (state.what === "done") break;
    furthest = state.total ? Math.max(furthest, state.done / state.total) : furthest;
    showProgress(state.total ? furthest : undefined);
    const seconds = Math.round((Date.now() - started) / 1000);
    showMessage(state.what === "waiting" ? `Waiting: yours is number ${state.place} of ${state.length} in the queue ...` : `Working: ${state.step.slice(0, 100)} (${seconds} s) ...`);
    await pause(300);
  }
  showProgress(null);
}

async function submit(event) {
  event.preventDefault();
  const problem = unfinished();
  if (problem) {
    showMessage(problem.text[0].toUpperCase() + problem.text.slice(1), true);
    return problem.field.focus();
  }
  at("done").hidden = at("commands").hidden = true;
  try {
    showMessage("Working ...");
    const commands = await post(`/files/${key}/${data.task}`, JSON.stringify(choice()));
    await wait();
    if (operating) {
      const response = await fetch(`/files/${key}/point`, { headers: HEADERS });
      showTable(await response.json());
      showMessage("The operating point is chosen.");
    } else {
      showMessage("The report is ready.");
      at("report").src = `/files/${key}/report`;
    }
    showCommands(commands);
    at("done").hidden = false;
    at("done").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  } catch (error) {
    showProgress(null);
    showMessage(error.message, true);
    for (const details of form.querySelectorAll("details")) if (error.message.includes(details.querySelector("summary").textContent.split(":")[0])) details.open = true;
  }
}

form.addEventListener("change", update);
form.addEventListener("input", (event) => { if (event.target.dataset.name !== undefined) update(); });
form.addEventListener("submit", submit);
form.addEventListener("keydown", (event) => { if (event.key === "Enter" && event.target.type === "text") event.preventDefault(); });
at("ordered").addEventListener("change", () => { at("labels").hidden = !at("ordered").checked; });
at("add-class").addEventListener("click", () => { chips.add(at("absent").value.trim()); at("absent").value = ""; });
if (at("use-suggestions")) at("use-suggestions").addEventListener("click", useSuggestions);
update();
