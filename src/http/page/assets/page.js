// The page works without this. It adds keys: ? for help, j and k in lists, the letters that buttons name.
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

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || writes(event.target)) return;
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "/") {
    const field = document.querySelector("input[type=search]");
    if (field === null) window.location.assign("/search");
    else field.focus();
  } else if (/^[a-z]$/.test(event.key)) {
    const target = document.querySelector(`[data-key="${event.key}"]`);
    if (target === null) return;
    // A field is gone to; a button is gone to first, and pressed by Enter: no key decides by itself.
    const details = target.closest("details");
    if (details !== null) details.open = true;
    target.focus();
  } else return;
  event.preventDefault();
});

const first = document.querySelector("[data-first]");
if (first !== null) first.focus({ preventScroll: true });
