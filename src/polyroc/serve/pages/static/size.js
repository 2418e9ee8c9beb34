// The form of a sample size.
"use strict";
const form = at("size");
const NAMES = ["value", "null", "versus", "correlation", "margin", "width", "power", "n", "alpha", "ratio"];

function update() {
  const question = form.querySelector("[name=question]:checked").value;
  for (const line of form.querySelectorAll("[data-for]")) line.hidden = !line.dataset.for.split(" ").includes(question);
}

form.addEventListener("change", update);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const sent = { measure: at("measure").value };
  for (const name of NAMES) if (!at(name).closest("p").hidden) sent[name] = at(name).value.trim();
  at("done").hidden = at("commands").hidden = true;
  showProgress();
  showMessage("Computing ...");
  try {
    const planned = await post("/sample-size", JSON.stringify(sent));
    showMessage("");
    showTable(planned);
    showCommands(planned);
  } catch (error) {
    showMessage(error.message, true);
  }
  showProgress(null);
});
update();
