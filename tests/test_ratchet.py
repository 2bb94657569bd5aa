"""The counts of tools/ratchet.py, on small houses whose counts are known."""

import ast
import importlib.util
from pathlib import Path

PATH = Path(__file__).parents[1] / "tools" / "ratchet.py"
spec = importlib.util.spec_from_file_location("ratchet", PATH)
ratchet = importlib.util.module_from_spec(spec)
spec.loader.exec_module(ratchet)


def test_a_circle_is_found_whole_and_what_leads_into_it_is_not_in_it():
    graph = {"p.a": {"p.b"}, "p.b": {"p.c"}, "p.c": {"p.a"}, "p.d": {"p.a"}, "p.e": set()}
    assert ratchet.circles(graph) == [{"p.a", "p.b", "p.c"}]


def test_imports_for_type_checkers_only_do_not_count_and_those_in_functions_are_told_apart():
    text = "import a\nif TYPE_CHECKING:\n    import b\nelse:\n    import c\ndef f():\n    import d\n"
    found = [(node.names[0].name, inside) for node, inside in ratchet.at_run_time(ast.parse(text))]
    assert found == [("a", False), ("c", False), ("d", True)]


def test_an_arrow_up_is_a_back_arrow_and_the_longest_name_says_which_floor():
    graph = {"p.low": {"p.high", "p.high.base"}, "p.high": {"p.low"}, "p.high.base": set()}
    assert ratchet.back_arrows(graph, [["high"], ["low", "high.base"]]) == [("p.low", "p.high")]


def test_any_counts_in_annotations_alone():
    assert ratchet.anys(ast.parse("def f(x: Any, *a: list[Any]) -> dict[str, Any]:\n    y: int = Any\n")) == 3


def test_thin_namespaces_are_counted_where_their_files_lie_and_other_houses_left_alone():
    assert ratchet.in_house("rushlight.linalg") == "rushlight.compat.linalg"
    assert ratchet.in_house("scipy.linalg") == "scipy.linalg"
    assert ratchet.in_house("rushlight.ops.linalg") == "rushlight.ops.linalg"


def test_an_import_by_a_name_in_text_is_an_arrow_like_any_other():
    tree = ast.parse("def f():\n    return import_module('rushlight.linalg')\nimport_module(name)\nimport_module('scipy')\n")
    assert list(ratchet.by_text(tree, {"rushlight.compat.linalg"})) == ["rushlight.compat.linalg"]


def test_an_import_inside_a_function_is_told_by_its_file_and_what_it_is_from():
    tree = ast.parse("import a\ndef f():\n    import b.c\n    from . import d\n    from ..e import f\n")
    found = list(ratchet.in_functions(ratchet.PACKAGE / "room" / "file.py", tree))
    assert found == ["room/file.py b.c", "room/file.py . d", "room/file.py ..e"]
