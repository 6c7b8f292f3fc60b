"use strict";

// Shows what just happened for a few seconds, without moving the page.
function toast(text) {
  const note = document.createElement("p");
  note.className = "toast";
  note.textContent = text;
  document.querySelector(".toasts").append(note);
  setTimeout(() => note.remove(), 5000);
}

for (const button of document.querySelectorAll("[data-toast]")) {
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      toast(button.dataset.toast);
    } catch {
      toast("Copy it from the address bar: " + location.href);
    }
  });
}

if (document.body.dataset.note) toast(document.body.dataset.note);
