"use strict";
// The report is whole without this script. It adds sorting, filtering and unfolding.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  for (const table of all("table[data-sort]")) {
    all("thead th", table).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        all("thead th", table).forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
        const rows = all("tbody tr", table).sort((a, b) => {
          const [x, y] = [key(a), key(b)];
          const order = x - y;
          return Number.isNaN(order) ? x.localeCompare(y, document.documentElement.lang, { numeric: true }) : order;
        });
        table.tBodies[0].append(...(down ? rows.reverse() : rows));
      });
    });
  }

  // Long lists of items arrive packed; they are unpacked when one is opened, and the rest in idle moments.
  const packed = all("details.item > noscript");
  const unpack = (box) => { if (box?.isConnected) box.outerHTML = box.textContent; };
  const unpackAll = () => packed.splice(0).forEach(unpack);
  addEventListener("toggle", (event) => unpack(event.target.querySelector?.(":scope > noscript")), true);
  const idle = window.requestIdleCallback ?? ((work) => setTimeout(() => {
    const end = performance.now() + 10;
    work({ timeRemaining: () => end - performance.now() });
  }, 50));
  const unpackSome = (moment) => {
    while (packed.length && moment.timeRemaining() > 2) unpack(packed.shift());
    if (packed.length) idle(unpackSome);
  };
  if (packed.length) addEventListener("load", () => idle(unpackSome));

  const tools = document.querySelector(".tools");
  const lines = all(".items > li");
  const [find, which, shown] = ["find", "which", "shown"].map((id) => document.getElementById(id));
  const texts = new Map();
  const text = (line) => {
    if (!texts.has(line)) texts.set(line, line.textContent.toLocaleLowerCase());
    return texts.get(line);
  };
  const filter = () => {
    const wanted = find.value.trim().toLocaleLowerCase();
    if (wanted) unpackAll();
    let count = 0;
    for (const line of lines) {
      const hit = (!which.value || line.dataset.dimension === which.value) && (!wanted || text(line).includes(wanted));
      line.hidden = !hit;
      count += hit;
    }
    shown.textContent = shown.dataset.of.replace("{shown}", count).replace("{all}", lines.length);
  };
  tools.hidden = false;
  find.addEventListener("input", filter);
  which.addEventListener("change", filter);
  const fold = (open) => () => {
    for (const line of lines) if (!line.hidden) all("details.item", line).forEach((item) => { item.open = open; });
  };
  document.getElementById("unfold").addEventListener("click", fold(true));
  document.getElementById("fold").addEventListener("click", fold(false));
  filter();

  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  addEventListener("hashchange", reveal);
  reveal();

  // What is to be read is read on paper, too, in browsers that cannot unfold by style alone.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("#read.few details.item:not([open])");
    opened.forEach((item) => { item.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((item) => { item.open = false; }));
})();
