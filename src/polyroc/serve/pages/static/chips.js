// Classes as chips that are put in order by dragging or by their buttons.
"use strict";
const chips = {
  labels: [],

  show(labels) {
    this.labels = [...labels];
    this.draw();
  },

  draw() {
    at("chips").replaceChildren(...this.labels.map((label, place) => this.chip(label, place)));
  },

  chip(label, place) {
    const chip = element("li", undefined, { draggable: "true" });
    const name = element("bdi", label);
    chip.append(name, this.button(label, place, -1, "\u2190", "earlier"), this.button(label, place, 1, "\u2192", "later"));
    chip.addEventListener("dragstart", (event) => { this.dragged = place; event.dataTransfer.setData("text/plain", label); });
    chip.addEventListener("dragover", (event) => { event.preventDefault(); chip.classList.add("over"); });
    chip.addEventListener("dragleave", () => chip.classList.remove("over"));
    chip.addEventListener("drop", (event) => { event.preventDefault(); if (this.dragged !== undefined) this.move(this.dragged, place); });
    chip.addEventListener("dragend", () => { this.dragged = undefined; });
    return chip;
  },

  button(label, place, step, arrow, direction) {
    const button = element("button", arrow, { type: "button", "aria-label": `Move ${label} ${direction}` });
    button.disabled = place + step < 0 || place + step >= this.labels.length;
    button.addEventListener("click", () => {
      this.move(place, place + step);
      const moved = at("chips").children[place + step].querySelectorAll("button");
      (moved[step < 0 ? 0 : 1].disabled ? moved[step < 0 ? 1 : 0] : moved[step < 0 ? 0 : 1]).focus();
    });
    return button;
  },

  move(from, to) {
    const [label] = this.labels.splice(from, 1);
    this.labels.splice(to, 0, label);
    this.draw();
    at("moved").textContent = `${label} is now number ${to + 1} of ${this.labels.length}.`;
  },

  add(label) {
    if (label && !this.labels.includes(label)) this.labels.push(label);
    this.draw();
    at("moved").textContent = `${label} is number ${this.labels.length} of ${this.labels.length}.`;
  },
};
