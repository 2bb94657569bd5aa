(function () {
  "use strict";
  var root = document.documentElement, all = document.querySelectorAll.bind(document);
  var steps = all(".step"), count = steps.length;
  if (!count) return;
  root.classList.add("js");
  var slider = document.getElementById("slider"), where = document.getElementById("where"), said = document.getElementById("said");
  var play = document.getElementById("play"), board = document.getElementById("board"), ticks = all(".ticks a");
  var at = 0, timer = 0, printed = document.querySelector(".printed");
  // What is off, or later, in some steps: from and to are numbers, and a class is set only where it changes, as a page has thousands.
  var timed = Array.from(all("[data-f]"), function (one) {
    return { one: one, name: "off", from: +one.dataset.f, to: one.dataset.t === undefined ? Infinity : +one.dataset.t, is: null };
  }).concat(Array.from(all(".card.op"), function (one) {
    return { one: one, name: "later", from: +one.getAttribute("href").slice(6), to: Infinity, is: null };
  }));

  steps.forEach(function (one) {
    one.removeAttribute("id"); // a browser would scroll to it
    one.classList.add("off");
  });

  // The languages switch without a script, too; but while `:has` looks on, each step takes twice as long.
  function speak() { root.classList.toggle("in-zh", document.getElementById("lang-zh").checked); }
  all("[name=lang]").forEach(function (one) { one.addEventListener("change", speak); });
  window.addEventListener("pageshow", speak);
  speak();

  function mark(selector, name, on) {
    all("." + name).forEach(function (one) { if (one.closest(selector)) one.classList.remove(name); });
    on.forEach(function (one) { one.classList.add(name); });
  }

  function reveal(one, frame) {
    var box = one.getBoundingClientRect(), around = frame.getBoundingClientRect();
    if (box.top < around.top || box.bottom > around.bottom) frame.scrollTop += box.top - around.top - (around.height - box.height) / 2;
    if (box.left >= around.left && box.right <= around.right) return;
    var left = frame.scrollLeft + box.left - around.left - 8; // no further from the middle than it has to: there the most is to be seen
    frame.scrollLeft = Math.max(left + box.width + 16 - frame.clientWidth, Math.min(left, middle(frame)));
  }

  function middle(frame) { return (frame.scrollWidth - frame.clientWidth) / 2; }

  function go(to, quiet) {
    to = Math.max(1, Math.min(count, to));
    if (to === at) return;
    var step = steps[to - 1], tick = ticks[to - 1], forward = step.classList.contains("f");
    if (at) {
      steps[at - 1].classList.add("off");
      ticks[at - 1].classList.remove("at");
      ticks[at - 1].removeAttribute("aria-current");
    }
    at = to;
    step.classList.remove("off");
    tick.classList.add("at");
    tick.setAttribute("aria-current", "step");
    timed.forEach(function (each) {
      var is = at < each.from || at >= each.to;
      if (is !== each.is) each.one.classList.toggle(each.name, each.is = is);
    });
    var isOut = printed && Array.from(printed.childNodes).some(function (one) { return one.nodeType === 3 || !one.classList.contains("off"); });
    if (printed) printed.parentNode.classList.toggle("off", !isOut);
    var lit = step.dataset.p === undefined ? [] : Array.from(all('.ln [data-p="' + step.dataset.p + '"]'));
    mark(".ln", "lit", lit);
    lit.forEach(function (one) { one.classList.toggle("f", forward); });
    mark(".code", "now", lit.map(function (one) { return one.closest(".ln"); }));
    var card = step.dataset.c === undefined ? [] : Array.from(all('.card[data-c="' + step.dataset.c + '"]'));
    mark("svg", "now", card);
    card.forEach(function (one) { one.classList.toggle("fnow", forward); });
    slider.value = at;
    where.textContent = at + " / " + count;
    var title = step.querySelector("h3");
    slider.setAttribute("aria-valuetext", at + ": " + title.innerText);
    if (!quiet) said.innerHTML = at + " / " + count + ": " + title.innerHTML;
    if (card[0]) reveal(card[0], board);
    if (lit[0]) reveal(lit[0].closest(".ln"), lit[0].closest(".code"));
    if (!quiet) try { history.replaceState(null, "", "#step=" + at); } catch (error) { /* a frame without an address */ }
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.setAttribute("aria-pressed", "false");
  }

  function toggle() {
    if (timer) return stop();
    if (at === count) go(1);
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(function () { if (at === count) stop(); else go(at + 1); }, 1300);
  }

  function fromAddress() {
    var found = /^#step=(\d+)$/.exec(location.hash);
    if (found) go(+found[1]);
    return found;
  }

  var moves = { first: function () { go(1); }, back: function () { go(at - 1); }, next: function () { go(at + 1); }, last: function () { go(count); } };
  Object.keys(moves).forEach(function (name) {
    document.getElementById(name).addEventListener("click", function () { stop(); moves[name](); });
  });
  play.addEventListener("click", toggle);
  slider.addEventListener("input", function () { stop(); go(+slider.value); });
  window.addEventListener("hashchange", function () { stop(); fromAddress(); });
  var keys = { ArrowRight: "next", ArrowLeft: "back", Home: "first", End: "last" };
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    var on = event.target, card = on.closest && on.closest(".card");
    if (event.key === " " && card) {
      event.preventDefault();
      stop();
      go(+card.getAttribute("href").slice(6));
      return;
    }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(on.tagName)) return;
    if (keys[event.key]) {
      event.preventDefault();
      stop();
      moves[keys[event.key]]();
    } else if (event.key === " " && !/^(BUTTON|SUMMARY|A)$/i.test(on.tagName)) {
      event.preventDefault();
      toggle();
    }
  });
  window.addEventListener("beforeprint", function () { // what is folded out on a screen is open on paper
    all("details:not([open])").forEach(function (one) { one.open = true; one.dataset.shut = ""; });
  });
  window.addEventListener("afterprint", function () {
    all("[data-shut]").forEach(function (one) { one.open = false; delete one.dataset.shut; });
  });
  ticks.forEach(function (one) { one.tabIndex = -1; });
  board.scrollLeft = middle(board); // a first step may have no card
  if (fromAddress()) window.addEventListener("load", function () { window.scrollTo(0, 0); });
  else go(+slider.dataset.open, true);
})();
