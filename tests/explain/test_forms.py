"""The page, the picture and what a notebook gets, as texts: well formed, of themselves alone, small, the same each time."""

import copy
import re
from base64 import b64decode
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from explain.conftest import stored
from explain.long_loop import loop

from rushlight.explain import notebook, page, svg
from rushlight.explain.matrices import matrix
from rushlight.explain.words import LANGUAGES, TABLE, say

VOID = {"meta", "link", "input", "br", "img", "wbr"}


class Checked(HTMLParser):
    """Every element is closed in the order in which they were opened; ids are there once."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.attributes, self.text = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.attributes += [(tag, *pair) for pair in attributes]
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.attributes += [(tag, *pair) for pair in attributes]

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)


def checked(html):
    parser = Checked()
    parser.feed(html)
    parser.close()
    assert not parser.open
    assert len(set(parser.ids)) == len(parser.ids)
    return parser


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_page_is_well_formed_and_asks_nothing_of_a_network(recording, lang):
    html = page.render(recording, lang)
    parser = checked(html)
    for tag, name, value in parser.attributes:
        assert name not in ("src", "srcset", "data", "action", "poster", "style") and not name.startswith("on"), (tag, name)
        if name == "href":
            assert value.startswith("#") or value == "data:,", value
            if value.startswith("#"):
                assert value[1:] in parser.ids
        if name in ("aria-labelledby", "for"):
            assert value in parser.ids
    style = re.search("<style>(.*?)</style>", html, re.S)[1]
    assert "url(" not in style and "@import" not in style
    policy = re.search('Content-Security-Policy" content="([^"]+)"', html)[1]
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy and "http" not in policy


def test_both_languages_are_in_every_page(recording):
    text = "".join(checked(page.render(recording, "en")).text)
    for key in ("your program", "steps", "ledger", "forward values"):
        assert say(key).en in text and say(key).zh in text


def test_two_renders_give_the_same_bytes(recording):
    for room in (page, svg):
        for lang in LANGUAGES:
            assert room.render(copy.deepcopy(recording), lang) == room.render(recording, lang)
    assert notebook.mimebundle(copy.deepcopy(recording)) == notebook.mimebundle(recording)


def test_sizes(tutorial):
    assert len(page.render(tutorial).encode()) <= 80_000
    assert len(page.render(loop(2500)).encode()) <= 200_000
    many = stored("training")
    many["program"]["printed"] = [{"event": 0, "stream": "stdout", "text": "x" * 100}] * 5000
    assert len(page.render(many).encode()) <= 1_000_000


def test_what_the_page_says_of_a_step(tutorial):
    html = page.render(tutorial)
    step = html[html.index('id="step=8"') : html.index('id="step=9"')]
    for told in (
        "MulBackward0",
        "g * y",
        "to y",
        "contribution no. 2; together",
        "第 2 份梯度；合计",
        "4.5 4.5\n4.5 4.5",
        "∂out/∂y",
    ):
        assert told in step, told
    assert "<code>x.grad</code>" in html[html.index('id="step=10"') :]


def with_products(tutorial):
    """The tutorial with a node's own v, J and v^T J, and with the chain of all."""
    eye = [[6.0 * (a == b) for a in range(4)] for b in range(4)]
    tutorial["events"][7]["local"] = [{"edge": 0, "v": [0.75] * 4, "J": eye, "vJ": [4.5] * 4}]
    tutorial["jacobians"][0]["chain"] = [
        {"node": 4, "J": [[0.25] * 4], "row": [0.25] * 4},
        {"node": 2, "J": eye, "row": [4.5] * 4},
    ]
    return tutorial


def test_products_of_vectors_and_matrices(tutorial):
    html = page.render(with_products(tutorial))
    checked(html)
    assert "<summary>" in html and "6 0 0 0\n0 6 0 0\n0 0 6 0\n0 0 0 6" in html
    assert say("from left").en in html and html.count(say("so far").en) == 2
    assert "J of z.mean()" in html and "4.5 4.5 4.5 4.5" in html
    tutorial["jacobians"][0]["vJ"] = [0.0] * 41
    assert say("v J").en not in page.render(tutorial)


def test_each_output_of_a_node_is_told():
    html = page.render(stored("weights"))
    assert "top, bottom</tspan> = d.unbind()" in html.replace('<tspan class="nm">top</tspan>, bottom', "top, bottom</tspan>")
    for told in ("top = [0.1824]", "bottom = [0.07586]", "vᵀ·∂out/∂top = [2]", "vᵀ·∂out/∂bottom = [inf]"):
        assert told in html, told


def test_a_graph_that_was_only_read(tutorial):
    html = page.render({**tutorial, "events": []})
    checked(html)
    assert "g * 3" in html and html.count('class="step b"') == 4


def test_a_programs_text_is_escaped_everywhere(tutorial):
    hostile = '<script>alert("1")</script>&\x1b[1m\ud800'
    tutorial["program"]["name"] = hostile
    tutorial["program"]["printed"] = [{"event": 0, "stream": "stderr", "text": hostile}]
    tutorial["sources"][0]["lines"][4] = f"z = y * y * 3  # {hostile}"
    tutorial["tensors"][1]["label"] = tutorial["tensors"][1]["names"][0]["name"] = hostile
    tutorial["ledger"][0]["name"] = tutorial["ledger"][0]["scope"] = hostile
    tutorial["places"][1]["text"] = hostile
    tutorial["nodes"][2]["rules"][0]["text"] = hostile
    html = page.render(tutorial)
    checked(html)
    assert html.count("<script>") == 1
    assert "<script>alert" not in html and html.count("&lt;script&gt;alert") > 6
    html.encode()
    ElementTree.fromstring(svg.render(tutorial))
    bundle = notebook.mimebundle(tutorial)
    assert "<script>" not in bundle["text/html"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_picture_has_only_what_sanitizers_let_through(recording, lang):
    root = ElementTree.fromstring(svg.render(recording, lang))
    space = "{http://www.w3.org/2000/svg}"
    for element in root.iter():
        assert element.tag.removeprefix(space) in {"svg", "title", "g", "rect", "path", "text", "tspan"}
        assert not {"style", "class", "id", "href"} & set(element.attrib)
    background = root.find(f"{space}rect")
    assert background.attrib["fill"].startswith("#") and background.attrib["width"] == root.attrib["width"]


def test_a_picture_shows_one_state_in_one_language(tutorial):
    text = " ".join(ElementTree.fromstring(svg.render(tutorial, "zh")).itertext())
    assert "叶子" in text and "leaf" not in text
    assert "None" not in text and "freed" not in text


def test_a_picture_shows_the_last_derivative_of_each_card_whose_pass_it_was():
    text = " ".join(ElementTree.fromstring(svg.render(stored("training"))).itertext())
    assert all(f"∂loss{one}/∂loss{one}" in text for one in ("₁", "₂", "₁₁"))


def test_what_a_notebook_gets(tutorial):
    bundle = notebook.mimebundle(tutorial, "en")
    assert sorted(bundle) == ["image/svg+xml", "text/html", "text/plain"]
    html = bundle["text/html"]
    picture = re.search(r"data:image/svg\+xml;base64,([^\"]+)", html)[1]
    assert b64decode(picture).decode() == bundle["image/svg+xml"]
    assert (
        html.index("<img") < html.index('<iframe sandbox="allow-scripts"') < html.index('<pre style="font-family: ui-monospace')
    )
    frame = {name: value for tag, name, value in checked(html).attributes if tag == "iframe"}
    assert frame["srcdoc"] == page.render(tutorial, "en")


def test_a_recording_of_nothing(tutorial):
    for name in ("sources", "places", "tensors", "nodes", "events", "jacobians", "ledger"):
        tutorial[name] = []
    tutorial["program"]["name"] = ""
    assert say("no events").en in page.render(tutorial)
    ElementTree.fromstring(svg.render(tutorial))


def test_the_table_of_words_is_whole():
    for key, (en, zh) in TABLE.items():
        names = re.findall(r"\{(\w+)\}", en)
        assert sorted(names) == sorted(re.findall(r"\{(\w+)\}", zh)), key
        assert en.count("`") % 2 == zh.count("`") % 2 == 0, key
        assert re.search("[一-鿿]", zh) or not re.search("[a-z]{4}", zh), key


def test_a_matrix_that_is_scrolled_on_a_phone_can_be_focused():
    assert 'tabindex="0"' in matrix([[-0.01932] * 8], "b")
    assert "tabindex" not in matrix([[-0.01932] * 3], "b")
