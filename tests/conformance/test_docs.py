"""The pages of docs/ show what PyTorch prints: each runs once more with PyTorch in rushlight's place."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
OURS = {
    "backward.md",
    "differences.md",
    "engine.md",
    "explain.md",
    "explain.zh.md",
    "performance.md",
    "recording.md",
    "reliability.md",
}  # what only rushlight has


@pytest.mark.parametrize("page", sorted({path.name for path in DOCS.glob("*.md")} - OURS))
@pytest.mark.filterwarnings("ignore")
def test_page_shows_what_pytorch_prints(page: str) -> None:
    text = (DOCS / page).read_text().replace("import rushlight", "import torch").replace("rushlight.", "torch.")
    test = doctest.DocTestParser().get_doctest(text.replace("import torch as torch", "import torch"), {}, page, page, 0)
    assert test.examples
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert not report, "".join(report)
