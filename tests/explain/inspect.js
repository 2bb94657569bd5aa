// What is wrong with what a page shows now: a list of sentences. Called with the number of the step, whether it is in Chinese, and
// what alone is to be looked at ("step", "colours", or "" for everything).
([step, zh, only]) => {
  const colours = only === "colours";
  const wrong = [], seen = (one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility !== "hidden";
  const name = (one) => (one.textContent || "").trim().slice(0, 40) || one.outerHTML.slice(0, 60);
  const hidden = (one) => one.closest(".vh, .skip");

  // The step.
  if (step && !colours) {
    const shown = Array.from(document.querySelectorAll(".step")).filter(seen);
    if (shown.length !== 1) wrong.push(`${shown.length} steps are shown`);
    else {
      const all = Array.from(document.querySelectorAll(".step"));
      if (all.indexOf(shown[0]) + 1 !== step) wrong.push(`step ${all.indexOf(shown[0]) + 1} is shown`);
      const title = shown[0].querySelector("h3").innerText;
      if (!title.trim() || /[\u4e00-\u9fff]/.test(title) !== zh) wrong.push(`title: ${title}`);
      const said = document.getElementById("said").innerText;
      if (said && !said.includes(title.trim().slice(0, 8))) wrong.push(`said: ${said}`);
      const place = shown[0].dataset.p, lit = document.querySelectorAll(".ln .lit");
      if ((place !== undefined) !== lit.length > 0) wrong.push("nothing is lit, or something without a place");
      lit.forEach((one) => { if (!one.closest(".ln").classList.contains("now")) wrong.push("lit in another line"); });
    }
    if (!document.getElementById("where").textContent.startsWith(`${step} /`)) wrong.push("where");
    if (+document.getElementById("slider").value !== step) wrong.push("slider");
    if (document.querySelectorAll(".ticks .at").length !== 1) wrong.push("ticks");
  }
  if (!colours) for (const one of document.querySelectorAll(zh ? ".en" : ".zh")) if (seen(one)) wrong.push(`the other language: ${name(one)}`);

  if (!colours) for (const one of document.querySelectorAll(".js .off")) if (seen(one)) wrong.push(`not of this step: ${name(one)}`);

  if (only === "step") return wrong;

  // Nothing is wider than its place.
  if (document.documentElement.scrollWidth > window.innerWidth) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
  if (!colours) for (const one of document.querySelectorAll("body *:not(svg *)")) {
    if (!seen(one) || hidden(one) || one.matches("svg, input, .board, .scroll, .mx, .code, .ticks *, tr, thead, tbody, tfoot, table")) continue;
    if (one.closest(".scroll, .mx, .ticks")) continue;
    if (one.scrollWidth > one.clientWidth + 2 && one.clientWidth && getComputedStyle(one).overflowX === "visible") wrong.push(`too wide: ${name(one)}`);
  }

  const ledger = document.querySelector(".ledger");
  if (ledger && ledger.scrollWidth > ledger.parentElement.clientWidth) wrong.push(`the ledger is ${ledger.scrollWidth} wide`);
  if (!colours) for (const one of document.querySelectorAll(".line > *")) {
    if (!one.matches(".pair, .fig, code") && one === one.parentElement.lastElementChild && !/[\w\u4e00-\u9fff]/.test(one.textContent)) wrong.push(`a sign without a figure: ${name(one)}`);
  }
  for (const one of document.querySelectorAll(".pair")) {
    if (seen(one) && one.firstElementChild.getBoundingClientRect().right > one.lastElementChild.getBoundingClientRect().left + 1) wrong.push(`a sign behind its figure: ${name(one)}`);
  }
  const drawn = document.querySelector(".board svg"), small = drawn ? drawn.getBoundingClientRect().width / drawn.viewBox.baseVal.width : 1;
  if (small < (window.innerWidth <= 640 ? 0.89 : 0.77)) wrong.push(`the graph is drawn ${small.toFixed(2)} small`);

  // The graph: texts inside of their cards, no text over another, nothing that rides over a card.
  const box = (one) => one.getBoundingClientRect();
  const inside = (a, b, by) => a.left >= b.left - by && a.right <= b.right + by && a.top >= b.top - by && a.bottom <= b.bottom + by;
  const over = (a, b, by) => a.left < b.right - by && b.left < a.right - by && a.top < b.bottom - by && b.top < a.bottom - by;
  const cards = Array.from(document.querySelectorAll(".card"), (one) => ({ one, box: box(one.querySelector("rect")) }));
  for (const { one, box: frame } of cards) {
    for (const text of one.querySelectorAll("text")) if (seen(text) && !inside(box(text), frame, 2)) wrong.push(`out of its card: ${name(text)}`);
  }
  for (const { one } of cards) {
    const rule = Array.from(one.querySelectorAll(".rule")).filter(seen).length, derivatives = Array.from(one.querySelectorAll("text.bw, text.past")).filter(seen).length;
    if (rule > 1 || rule > derivatives) wrong.push(`${rule} lines beside no derivative: ${name(one)}`);
  }
  const texts = Array.from(document.querySelectorAll("svg text")).filter(seen).map((one) => ({ one, box: box(one) }));
  if (!colours) texts.forEach((a, at) => texts.slice(at + 1).forEach((b) => {
    if (over(a.box, b.box, 2.5)) wrong.push(`over each other: ${name(a.one)} and ${name(b.one)}`);
  }));
  cards.forEach((a, at) => cards.slice(at + 1).forEach((b) => { if (over(a.box, b.box, 1)) wrong.push("cards over each other"); }));
  for (const ride of Array.from(document.querySelectorAll("svg .ride")).filter(seen)) {
    for (const card of cards) if (over(box(ride), card.box, 1)) wrong.push(`rides over a card: ${name(card.one)}`);
  }

  // Contrast.
  const numbers = (color) => color.match(/[\d.]+/g).map(Number);
  const lights = new Map(), backs = new Map();
  const light = (color) => {
    if (!lights.has(color)) lights.set(color, luminance(color));
    return lights.get(color);
  };
  const luminance = (color) => {
    const parts = numbers(color).slice(0, 3).map((one) => (one /= 255) <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const clear = (color) => color === "none" || color === "transparent" || numbers(color)[3] === 0;
  const rects = Array.from(document.querySelectorAll("svg rect")).filter(seen).map((one) => ({ box: box(one), fill: getComputedStyle(one).fill }));
  const behind = (one) => {
    if (!one) return "rgb(255, 255, 255)";
    if (!backs.has(one)) {
      const color = getComputedStyle(one).backgroundColor;
      backs.set(one, clear(color) ? behind(one.parentElement) : color);
    }
    return backs.get(one);
  };
  const check = (one, color, back) => {
    const [a, b] = [light(color), light(back)], contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) wrong.push(`contrast ${contrast.toFixed(2)} of ${color} on ${back}: ${name(one)}`);
  };
  for (const { one, box: frame } of texts) {
    const x = (frame.left + frame.right) / 2, y = (frame.top + frame.bottom) / 2;
    const under = rects.filter(({ box: b, fill }) => !clear(fill) && b.left <= x && x <= b.right && b.top <= y && y <= b.bottom).pop();
    for (const part of one.children.length ? one.children : [one]) if (seen(part)) check(one, getComputedStyle(part).fill, under ? under.fill : behind(document.getElementById("board")));
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const one = node.parentElement;
    if (!node.data.trim() || one.closest("svg, script, style, .ticks") || hidden(one) || !seen(one)) continue;
    check(one, getComputedStyle(one).color, behind(one));
  }
  return wrong;
}
