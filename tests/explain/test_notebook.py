"""The notebook of examples/: every cell runs, and what a cell ends with shows itself."""

import ast
import json
import linecache
import re
from pathlib import Path

NOTEBOOK = Path(__file__).parents[2] / "examples" / "explain.ipynb"


def executed():
    """What each cell of code ends with."""
    names, results = {}, []
    for number, cell in enumerate(json.loads(NOTEBOOK.read_text())["cells"]):
        if cell["cell_type"] == "code":
            tree = ast.parse("".join(cell["source"]))
            last = ast.Expression(tree.body.pop().value)
            exec(compile(tree, f"<cell {number}>", "exec"), names)
            results.append(eval(compile(last, f"<cell {number}>", "eval"), names))
    return results


def test_a_block_tells_of_its_own_leaves_and_of_those_it_uses():
    """What other cells have left under names is there in every cell, and of no interest."""
    names: dict[str, object] = {}
    cells = [
        "import rushlight as torch\ndef f():\n    (x * shared).sum().backward()",
        "lonely = torch.ones(2, requires_grad=True)\nshared = lonely.detach().requires_grad_()\nnet = torch.nn.Linear(2, 2)",
        "with torch.explain() as story:\n    x, forgotten = (torch.ones(2, requires_grad=True) for _ in range(2))\n    f()",
    ]
    for number, cell in enumerate(cells):
        exec(compile(cell, f"<cell {number}>", "exec"), names)
    story = names["story"]
    assert {one["name"] for one in story.recording["ledger"]} == {"x", "forgotten", "shared"}
    assert "lonely" not in story.form(".svg") and "net" not in story.form(".svg") and "forgotten" in story.form(".svg")


def test_the_graph_of_another_cell_is_not_told_of():
    names: dict[str, object] = {}
    cells = [
        "import rushlight as torch\nx, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)",
        "y = x * w\nloss = y.mean()",
        "with torch.explain() as story:\n    z = w.exp()\n    z.sum().backward()",
    ]
    for number, cell in enumerate(cells):
        name = f"<cell {number} of a notebook>"
        linecache.cache[name] = len(cell), None, cell.splitlines(True), name
        exec(compile(cell, name, "exec"), names)
    story = names["story"]
    assert {one["name"] for one in story.recording["ledger"]} == {"w", "z"}
    assert (
        "z = w.exp()" in str(story)
        and "y = x * w" not in str(story)
        and "x" not in re.sub("<[^>]*>|exp", "", story.form(".svg"))
    )


def test_the_notebook_runs_and_its_stories_show_themselves():
    recorded, read, is_none = executed()
    for story in (recorded, read):
        bundle = story._repr_mimebundle_()
        assert {"text/html", "image/svg+xml", "text/plain"} <= set(bundle)
        assert not story._recording.failures
    assert [event["kind"] for event in recorded.recording["events"]].count("run") == 4
    assert is_none is True
