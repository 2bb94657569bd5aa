(function () {
  "use strict";
  var root = document.documentElement, all = document.querySelectorAll.bind(document);
  var steps = all(".step"), count = steps.length;
  if (!count) return;
  root.classList.add("js");
  var slider = document.getElementById("slider"), where = document.getElementById("where"), said = document.getElementById("said");
  var play = document.getElementById("play"), board = document.getElementById("board"), ticks = all(".ticks a");
  var timed = all("[data-f]"), ops = all(".card.op"), at = 0, timer = 0;

  steps.forEach(function (one) { one.removeAttribute("id"); }); // a browser would scroll to it

  function mark(selector, name, on) {
    all("." + name).forEach(function (one) { if (one.closest(selector)) one.classList.remove(name); });
    on.forEach(function (one) { one.classList.add(name); });
  }

  function reveal(one, frame) {
    var box = one.getBoundingClientRect(), around = frame.getBoundingClientRect();
    if (box.top < around.top || box.bottom > around.bottom) frame.scrollTop += box.top - around.top - (around.height - box.height) / 2;
    if (box.left < around.left || box.right > around.right) frame.scrollLeft += box.left - around.left - (around.width - box.width) / 2;
  }

  function go(to, quiet) {
    to = Math.max(1, Math.min(count, to));
    if (to === at) return;
    at = to;
    var step = steps[at - 1], forward = step.classList.contains("f");
    steps.forEach(function (one) { one.classList.toggle("off", one !== step); });
    timed.forEach(function (one) {
      var last = one.dataset.t;
      one.classList.toggle("off", at < +one.dataset.f || (last !== undefined && at >= +last));
    });
    var lit = step.dataset.p === undefined ? [] : Array.from(all('.ln [data-p="' + step.dataset.p + '"]'));
    mark(".ln", "lit", lit);
    lit.forEach(function (one) { one.classList.toggle("f", forward); });
    mark(".code", "now", lit.map(function (one) { return one.closest(".ln"); }));
    var card = step.dataset.c === undefined ? [] : Array.from(all('.card[data-c="' + step.dataset.c + '"]'));
    ops.forEach(function (one) { one.classList.toggle("later", at < +one.getAttribute("href").slice(6)); });
    mark("svg", "now", card);
    card.forEach(function (one) { one.classList.toggle("fnow", forward); });
    ticks.forEach(function (one, number) {
      one.classList.toggle("at", number + 1 === at);
      if (number + 1 === at) one.setAttribute("aria-current", "step"); else one.removeAttribute("aria-current");
    });
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
  if (fromAddress()) window.addEventListener("load", function () { window.scrollTo(0, 0); });
  else go(+slider.dataset.open, true);
})();
