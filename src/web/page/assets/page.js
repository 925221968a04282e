// The pages work without this script. It adds keys: j and k in lists, x to select, / for search, and the letters in `data-key`.
"use strict";

const writes = (element) => element.closest("input, textarea, select, [contenteditable]") !== null;

function step(by) {
  const links = [...document.querySelectorAll("[data-list] > li a:first-of-type")].filter(
    (link) => link.closest("li").querySelector("a") === link,
  );
  if (links.length === 0) return false;
  const at = links.indexOf(document.activeElement);
  links[Math.min(links.length - 1, Math.max(0, at < 0 ? 0 : at + by))].focus();
  return true;
}

function select() {
  const box = document.activeElement.closest("li")?.querySelector("input[name=item]");
  if (box) box.click();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || writes(event.target)) return;
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "x" && document.querySelector("[data-selection]") !== null) select();
  else if (event.key === "/") {
    const field = document.querySelector("input[type=search]");
    if (field === null) window.location.assign("/search");
    else field.focus();
  } else if (/^[a-z]$/.test(event.key)) {
    const target = document.querySelector(`[data-key="${event.key}"]`);
    if (target === null) return;
    // The key only moves the focus; Enter activates a button. No key alone makes a decision.
    const details = target.closest("details");
    if (details !== null) details.open = true;
    target.focus();
  } else return;
  event.preventDefault();
});

// In a form with several decisions, Enter in a field submits the chosen decision, or nothing if none was chosen.
const chosen = new WeakMap();
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=decision]");
  if (button !== null && button.form !== null) chosen.set(button.form, button);
});
document.addEventListener("keydown", (event) => {
  const { form } = event.target;
  if (event.key !== "Enter" || event.target.tagName !== "INPUT" || !form) return;
  const buttons = form.querySelectorAll("button[name=decision]");
  if (buttons.length < 2) return;
  event.preventDefault();
  if (chosen.has(form)) form.requestSubmit(chosen.get(form));
  else buttons[0].closest("p").classList.add("choose");
});

// How many items are selected, and a button that selects all of them.
const selection = document.querySelector("[data-selection]");
if (selection !== null) {
  const boxes = [...selection.querySelectorAll("input[name=item]")];
  const all = selection.querySelector("[data-all]");
  const told = selection.querySelector("[data-selected]");
  const tell = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    told.textContent = chosen > 0 ? `${chosen} selected` : "";
    all.textContent = chosen === boxes.length ? "Select none" : "Select all";
  };
  all.hidden = false;
  all.addEventListener("click", () => {
    const on = boxes.some((box) => !box.checked);
    boxes.forEach((box) => { box.checked = on; });
    tell();
  });
  selection.addEventListener("change", tell);
  tell();
}

const first = document.querySelector("[data-first]");
if (first !== null) first.focus({ preventScroll: true });
