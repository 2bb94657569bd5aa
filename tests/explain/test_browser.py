"""The pages in Debian's Chromium: every step, by keyboard and by link, in both languages, dark and light, on a phone and on a desk."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from explain.beginners import PROGRAMS
from explain.conftest import NAMES, stored

import rushlight as torch
from rushlight.explain import notebook, page

CHROMIUM = shutil.which("chromium")
NEEDED = os.environ.get("CI", "").lower() in ("1", "true")

if CHROMIUM is None and not NEEDED:
    pytest.skip("chromium is not installed", allow_module_level=True)
if not NEEDED:
    pytest.importorskip("playwright", reason="playwright is not installed")
    pytest.importorskip("axe_playwright_python", reason="axe is not installed")

from axe_playwright_python.sync_playwright import Axe  # noqa: E402
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright  # noqa: E402

INSPECT = (Path(__file__).parent / "inspect.js").read_text(encoding="utf-8")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update"]
SIZES = {"phone": (390, 844), "desk": (1600, 1000)}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM is not None, "chromium is not installed"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for name in NAMES:
        (folder / f"{name}.html").write_text(page.render(stored(name)), encoding="utf-8")
    return folder


class Opened:
    """A page, and what it asked for and complained of."""

    def __init__(self, browser: Browser, file: Path, step: int | None = None, **options: Any) -> None:
        self.context: BrowserContext = browser.new_context(reduced_motion="reduce", **options)
        self.asked: list[str] = []
        self.said: list[str] = []
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.page: Page = self.context.new_page()
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.url = file.as_uri()
        self.page.goto(self.url + ("" if step is None else f"#step={step}"))

    def wrong(self, step: int, lang: str, only: str = "") -> list[str]:
        return self.page.evaluate(f"({INSPECT})([{step}, {str(lang == 'zh').lower()}, '{only}'])")

    def close(self) -> None:
        self.context.close()
        assert {url.split("#")[0] for url in self.asked if not url.startswith("data:")} == {self.url}
        assert self.said == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_every_step_by_keyboard(browser, pages, name, lang, size):
    width, height = SIZES[size]
    opened = Opened(browser, pages / f"{name}.html", 1, color_scheme="light", viewport={"width": width, "height": height})
    opened.page.check(f"#lang-{lang}")
    opened.page.evaluate("document.activeElement.blur()")
    count = opened.page.locator(".step").count()
    found = {}
    for step in range(1, count + 1):
        if step > 1:
            opened.page.keyboard.press("ArrowRight")
        found[step] = opened.wrong(step, lang)
    assert {step: wrong for step, wrong in found.items() if wrong} == {}
    opened.page.keyboard.press("ArrowRight")
    assert opened.wrong(count, lang) == []
    opened.page.emulate_media(color_scheme="dark")  # and back again: only the colours are others
    for step in range(count, 0, -1):
        assert opened.wrong(step, lang, "step") == []
        found[step] = opened.wrong(step, lang, "colours")
        opened.page.keyboard.press("ArrowLeft")
    assert {step: wrong for step, wrong in found.items() if wrong} == {}
    opened.page.keyboard.press("End")
    for key, step in (("ArrowLeft", count - 1), ("Home", 1), ("End", count)):
        opened.page.keyboard.press(key)
        assert opened.page.locator("#where").inner_text() == f"{step} / {count}"
        assert opened.page.evaluate("location.hash") == f"#step={step}"
    opened.close()


@pytest.mark.parametrize("name", NAMES)
def test_every_step_by_link(browser, pages, name):
    opened = Opened(browser, pages / f"{name}.html", 2)
    assert opened.wrong(2, "en") == []
    assert opened.page.evaluate("window.scrollY") == 0
    ticks, where = opened.page.locator(".ticks a"), opened.page.locator("#where")
    for step in range(ticks.count(), 0, -1):
        ticks.nth(step - 1).click()
        expect(where).to_have_text(f"{step} / {ticks.count()}")
        assert opened.wrong(step, "en", "step") == []
    cards = opened.page.locator(".card")
    for number in range(cards.count()):
        target = cards.nth(number).get_attribute("href").removeprefix("#step=")
        for key in ("Enter", " "):
            opened.page.keyboard.press("Home")
            cards.nth(number).focus()
            opened.page.keyboard.press(key)
            expect(where).to_have_text(f"{target} / {ticks.count()}")
            opened.page.evaluate("document.activeElement.blur()")
    opened.close()


def test_the_buttons_the_slider_and_the_player(browser, pages):
    opened = Opened(browser, pages / "tutorial.html")
    where = opened.page.locator("#where")
    for button, told in (
        ("#first", "1 / 10"),
        ("#next", "2 / 10"),
        ("#last", "10 / 10"),
        ("#back", "9 / 10"),
        ("#first", "1 / 10"),
    ):
        opened.page.click(button)
        assert where.inner_text() == told
    opened.page.focus("#slider")
    opened.page.keyboard.press("ArrowRight")
    assert where.inner_text() == "2 / 10"
    assert "line 5" in opened.page.get_attribute("#slider", "aria-valuetext")
    assert opened.page.locator("#said").inner_text().startswith("2 / 10: Forward")
    opened.page.evaluate("document.activeElement.blur()")
    opened.page.keyboard.press("Space")
    assert opened.page.get_attribute("#play", "aria-pressed") == "true"
    expect(where).to_have_text(re.compile("^[4-9] / 10$"), timeout=30_000)  # a slow machine may look when 4 is over
    opened.page.keyboard.press("Space")
    assert opened.page.get_attribute("#play", "aria-pressed") == "false"
    opened.close()


@pytest.mark.parametrize("size", [(390, 844), (768, 1024), (960, 720), (1280, 760), (1600, 1000)])
def test_the_step_and_the_card_are_in_sight_at_once(browser, pages, size):
    width, height = size
    opened = Opened(browser, pages / "tutorial.html", 6, viewport={"width": width, "height": height})
    step = opened.page.locator(".step:visible").bounding_box()
    assert step["y"] + step["height"] < height
    if width >= 760:
        card, board = opened.page.locator(".card.now").bounding_box(), opened.page.locator("#board").bounding_box()
        assert board["y"] <= card["y"] + 1 and card["y"] < height
    opened.close()


def test_a_wide_graph_is_seen_from_its_middle(browser, tmp_path):
    with torch.explain() as story:
        layer, x = torch.nn.LSTM(2, 3), torch.ones(2, 1, 2)  # a step without a card
        layer(x * 2)[0].sum().backward()
    story.save(tmp_path / "wide.html")
    opened = Opened(browser, tmp_path / "wide.html", 1, viewport={"width": 390, "height": 844})
    left, most = opened.page.locator("#board").evaluate("one => [one.scrollLeft, one.scrollWidth - one.clientWidth]")
    assert most > 300 and abs(left - most / 2) <= 1
    for _ in range(opened.page.locator(".step").count() - 1):
        opened.page.keyboard.press("ArrowRight")
        if opened.page.locator(".card.now").count():
            card, board = (opened.page.locator(one).bounding_box() for one in (".card.now", "#board"))
            assert board["x"] <= card["x"] and card["x"] + card["width"] <= board["x"] + board["width"]
    opened.close()


def test_an_error_is_where_a_page_begins(browser, pages):
    opened = Opened(browser, pages / "twice.html")
    assert opened.page.locator(".step:visible h3").inner_text().startswith("Stops here: RuntimeError")
    assert opened.page.locator(".ln.now").inner_text().strip().startswith("9")
    opened.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_page_opens_where_the_first_pass_is_over(browser, pages, name):
    opened = Opened(browser, pages / f"{name}.html")
    step = int(opened.page.locator("#where").inner_text().split(" / ")[0])
    if name != "twice":
        told = opened.page.locator(f".step >> nth={step - 1}").inner_text()
        assert told.startswith(("Arrived at the leaf", "The pass ends"))
    assert opened.wrong(step, "en") == []
    assert opened.page.locator(".card .bw:visible").count() > 2  # the gradients are there to be seen
    opened.close()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_without_javascript(browser, pages, name, lang, size):
    width, height = SIZES[size]
    file = pages / f"{name}.html"
    reader = Opened(browser, file, viewport={"width": width, "height": height}, java_script_enabled=False)
    reader.page.check(f"#lang-{lang}")
    steps = reader.page.locator(".step")
    assert steps.count() > 5
    for number in range(steps.count()):
        assert steps.nth(number).is_visible()
    assert not reader.page.locator(".controls").is_visible()
    assert (
        reader.page.locator(f"h1 .{lang}").is_visible()
        and not reader.page.locator(f"h1 .{'zh' if lang == 'en' else 'en'}").is_visible()
    )
    assert reader.wrong(0, lang) == []
    target = steps.count() - 1
    reader.page.locator(".ticks a").nth(target - 1).click()
    assert steps.nth(target - 1).evaluate("one => one.getBoundingClientRect().top") < height
    reader.close()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_beginners_programs(browser, beginners, tmp_path, name, size):
    width, height = SIZES[size]
    file = tmp_path / f"{name}.html"
    file.write_text(page.render(beginners[name]), encoding="utf-8")
    scheme = "dark" if size == "phone" else "light"
    opened = Opened(browser, file, viewport={"width": width, "height": height}, color_scheme=scheme)
    for lang in ("en", "zh"):
        opened.page.check(f"#lang-{lang}")
        opened.page.evaluate("document.activeElement.blur()")
        step = int(opened.page.locator("#where").inner_text().split(" / ")[0])
        assert opened.wrong(step, lang) == []
        opened.page.keyboard.press("End")
        assert opened.wrong(opened.page.locator(".step").count(), lang) == []
        if size == "desk":
            assert opened.page.locator("#board").evaluate("one => one.scrollWidth - one.clientWidth") <= 0
    opened.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_no_violation(browser, pages, name, scheme):
    opened = Opened(browser, pages / f"{name}.html", 5, color_scheme=scheme)
    found = Axe().run(opened.page).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found] == []
    opened.close()


@pytest.mark.parametrize("name", NAMES)
def test_on_paper(browser, pages, name):
    opened = Opened(browser, pages / f"{name}.html", color_scheme="dark", viewport={"width": 680, "height": 1000})
    opened.page.emulate_media(media="print")
    assert opened.page.locator(".step:visible").count() == opened.page.locator(".step").count()
    assert not opened.page.locator(".time").is_visible() and not opened.page.locator(".langs").is_visible()
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 680
    for frame in (".code", ".board"):  # nothing is left to be scrolled to
        assert opened.page.locator(frame).first.evaluate("one => one.scrollHeight - one.clientHeight") <= 2
    hidden = "one => one.open || one.querySelector('.line, .pass').getClientRects().length > 0"
    assert all(one.evaluate(hidden) for one in opened.page.locator("details").all())  # what folds out is open
    assert opened.page.pdf(format="A4").startswith(b"%PDF")
    assert opened.page.locator("details[open]").count() == 0
    opened.close()


def test_a_rule_is_copied_as_plain_text(browser, pages):
    opened = Opened(browser, pages / "tutorial.html", 8)
    opened.page.locator(".step:visible .line > code").first.select_text()
    assert opened.page.evaluate("getSelection().toString()").strip() == "g * y"
    opened.page.locator(".ln.now code").select_text()
    assert opened.page.evaluate("getSelection().toString()").strip() == "z = y * y * 3"
    opened.close()


def test_a_card_before_its_step_is_an_outline_and_a_value_alone_is_in_the_middle(browser, pages):
    opened = Opened(browser, pages / "tutorial.html", 2)
    assert opened.page.locator(".card.later").count() == 2

    def beside() -> float:
        card = opened.page.locator(".card[aria-label='y * y (#2)']")
        card, one = card.bounding_box(), card.locator("text.fw:visible").first.bounding_box()
        return card["x"] + card["width"] / 2 - one["x"] - one["width"] / 2

    assert abs(beside()) < 2
    opened.page.keyboard.press("End")
    assert opened.page.locator(".card.later").count() == 0 and beside() > 10
    opened.close()


def test_what_an_earlier_pass_brought_stays_in_grey(browser, pages):
    opened = Opened(browser, pages / "training.html")
    assert opened.page.locator("svg text.past:visible").count() == 0
    told = opened.page.locator(".card.op text.bw:visible").count()
    opened.page.keyboard.press("End")
    assert 0 < opened.page.locator("svg text.past:visible").count() <= told * 2
    opened.close()


def test_the_frame_of_a_notebook(browser, tmp_path):
    bundle = notebook.mimebundle(stored("tutorial"), "zh")
    file = tmp_path / "cell.html"
    file.write_text(
        f"<!doctype html><meta charset=utf-8><link rel=icon href='data:,'><body>{bundle['text/html']}", encoding="utf-8"
    )
    opened = Opened(browser, file)
    assert opened.page.locator("img").evaluate("one => one.naturalWidth") > 100
    opened.page.locator("summary").first.click()
    frame = opened.page.frame_locator("iframe")
    assert frame.locator("#where").inner_text() == "10 / 10"
    frame.locator("#first").click()
    frame.locator("#next").click()
    assert frame.locator("#where").inner_text() == "2 / 10"
    assert "前向" in frame.locator(".step:visible h3").inner_text()
    opened.context.close()


def test_the_frame_of_a_notebook_is_loaded_at_once():
    """Converters load a page, take its picture and are gone: a frame that is loaded when it is looked at stays blank there."""
    html = notebook.mimebundle(stored("tutorial"))["text/html"]
    assert "<iframe" in html and "loading=" not in html


# What is done to a page, and what of it must be found: each check of inspect.js sees what it looks for.
SPOILED = {
    "all steps at once": ("for (const one of all('.step')) one.classList.remove('off')", "steps are shown"),
    "another step": ("all('.step')[7].classList.add('off'); all('.step')[2].classList.remove('off')", "step 3 is shown"),
    "a title in another language": ("for (const one of all('.step:not(.off) h3')) one.textContent = '前向'", "title"),
    "an announcement of another step": ("one('#said').textContent = 'Elsewhere'", "said"),
    "nothing lit": ("for (const one of all('.lit')) one.classList.remove('lit')", "nothing is lit"),
    "lit elsewhere": ("one('.ln code').innerHTML = '<b class=lit>import</b>'", "lit in another line"),
    "another number": ("one('#where').textContent = '3 / 10'", "where"),
    "the slider elsewhere": ("one('#slider').value = 2", "slider"),
    "no tick": ("for (const one of all('.ticks .at')) one.classList.remove('at')", "ticks"),
    "the other language": ("for (const one of all('h2 .zh')) one.style.display = 'inline'", "the other language"),
    "what is of another step": ("for (const one of all('.off')) one.style.display = 'block'", "not of this step"),
    "a wide page": ("one('.below').style.width = '3000px'", "the page is"),
    "a wide text": ("for (const one of all('.step p')) one.style.cssText = 'white-space: nowrap; width: 30px'", "too wide"),
    "a wide ledger": ("one('.ledger').style.minWidth = '1700px'", "the ledger is"),
    "a sign at an end": (
        "one('.step:not(.off) .line').insertAdjacentHTML('beforeend', '<span>→</span>')",
        "a sign without a figure",
    ),
    "a sign behind its figure": (
        "for (const one of all('.pair')) one.style.flexDirection = 'row-reverse'",
        "a sign behind its figure",
    ),
    "a small graph": ("one('.board svg').setAttribute('viewBox', '-12 -8 900 698')", "small"),
    "a text beside its card": ("one('.card text').setAttribute('transform', 'translate(400, 0)')", "out of its card"),
    "a text on another": (
        "const text = one('.card text'); text.parentNode.append(text.cloneNode(true))",
        "over each other",
    ),
    "a card on another": ("all('.card')[1].setAttribute('transform', 'translate(0, -120)')", "cards over each other"),
    "a number on a card": (
        "for (const one of all('svg .ride')) one.setAttribute('transform', 'translate(0, 60)')",
        "rides over a card",
    ),
    "no derivative": ("for (const one of all('.card .bw')) one.remove()", "beside no derivative"),
    "a pale text": ("one('h1').style.color = '#999'", "contrast"),
    "a pale text of the graph": ("one('.card .tx').style.fill = '#bbb'", "contrast"),
}


@pytest.fixture(scope="module")
def sound(browser, pages) -> Iterator[Opened]:
    opened = Opened(browser, pages / "tutorial.html", 8, viewport={"width": 1600, "height": 1000})
    yield opened
    opened.close()


@pytest.mark.parametrize("case", SPOILED)
def test_what_is_wrong_with_a_page_is_found(sound, case):
    script, told = SPOILED[case]
    sound.page.reload()
    assert sound.wrong(8, "en") == []
    sound.page.evaluate(
        f"() => {{ const one = (by) => document.querySelector(by), all = (by) => document.querySelectorAll(by); {script} }}"
    )
    assert any(told in found for found in sound.wrong(8, "en")), sound.wrong(8, "en")


@pytest.mark.parametrize(
    "added", ["<img src='http://127.0.0.1:9/a.png' alt=''>", "<script src='http://127.0.0.1:9/a.js'></script>"]
)
@pytest.mark.parametrize("policy", [True, False])
def test_a_request_is_found_and_the_policy_forbids_it(browser, pages, tmp_path, added, policy):
    file = tmp_path / "asking.html"
    text = (pages / "tutorial.html").read_text(encoding="utf-8").replace("</main>", f"{added}</main>")
    file.write_text(text if policy else text.replace("Content-Security-Policy", "nothing"), encoding="utf-8")
    opened = Opened(browser, file)
    assert added.split("'")[1] in opened.asked
    assert any("Content Security Policy" in text for text in opened.said) == policy
    with pytest.raises(AssertionError):
        opened.close()


def test_axe_finds_what_is_wrong(browser, pages):
    opened = Opened(browser, pages / "tutorial.html", 5)
    opened.page.evaluate("document.documentElement.removeAttribute('lang'); document.querySelector('h1').style.color = '#bbb'")
    assert {"html-has-lang", "color-contrast"} <= {one["id"] for one in Axe().run(opened.page).response["violations"]}
    opened.close()


def test_what_was_printed_before_the_first_step_is_seen_from_the_first(browser, tmp_path):
    recording = stored("tutorial")
    recording["program"]["printed"] = [{"event": 0, "stream": "stdout", "text": "hello\n"}]
    (tmp_path / "early.html").write_text(page.render(recording), encoding="utf-8")
    opened = Opened(browser, tmp_path / "early.html", 1)
    assert opened.page.locator(".printed").is_visible()
    opened.close()
