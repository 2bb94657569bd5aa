"""A recording of a long loop and of many passes, made here."""

from typing import Any


def value(number: float) -> dict[str, Any]:
    return {"shape": [], "dtype": "float32", "data": number}


def loop(rounds: int, passes: int = 1) -> dict[str, Any]:
    """`for i in range(rounds): y = x * y; h = y.exp()` and so many backward passes, one node after the other."""
    lines = [
        "import torch",
        "",
        "x = torch.tensor(1.0, requires_grad=True)",
        "for i in range(n):",
        "    y = x * y",
        "    y = y.exp()",
    ]
    texts = [(5, "x * y"), (6, "y.exp()")]
    places = [
        {"id": number, "source": 0, "line": line, "col": 8, "end_line": line, "end_col": 8 + len(text), "function": "<module>",
         "text": text, "target": "y", "statement": lines[line - 1].strip()}
        for number, (line, text) in enumerate(texts)
    ]  # fmt: skip
    blank = {
        "shape": [],
        "dtype": "float32",
        "out": 0,
        "version": 0,
        "life_of": None,
        "view_of": None,
        "grad": None,
        "cut": None,
    }

    def tensor(number: int, name: str, node: int | None, place: int | None) -> dict[str, Any]:
        names = [{"name": name, "scope": "<module>", "at": number}]
        leaf = node is None
        return {**blank, "id": number, "identity": number, "names": names, "label": name, "leaf": leaf, "requires_grad": True,
                "node": node, "place": place, "value": value(float(number))}  # fmt: skip

    tensors = [tensor(0, "x", None, None)]
    base = {
        "op": None,
        "edges": [],
        "place": None,
        "stack": [],
        "module": "",
        "inputs": [],
        "outputs": [],
        "saved": [],
        "rules": [],
    }
    nodes = [{**base, "id": 0, "name": "AccumulateGrad", "variable": 0}]
    events: list[dict[str, Any]] = []
    for number in range(2 * rounds):
        place = number % 2
        before = {"node": number, "out": 0, "tensor": number}
        edges = [{"node": 0, "out": 0, "tensor": 0}, before if number else None] if place == 0 else [before]
        inputs = [{"name": "x", "tensor": 0, "text": "x"}] if place == 0 else [{"name": "x", "tensor": number, "text": "y"}]
        nodes.append({**base, "id": number + 1, "name": ("MulBackward0", "ExpBackward0")[place], "op": ("mul", "exp")[place], "edges": edges,
                      "place": place, "stack": [place], "inputs": inputs, "outputs": [number + 1], "variable": None,
                      "rules": [{"text": "g * y", "generic": "g * b"}] * 2})  # fmt: skip
        tensors.append(tensor(number + 1, "y", number + 1, place))
        events.append({"n": len(events), "kind": "op", "place": place, "pass": None, "op": ("mul", "exp")[place], "node": number + 1,
                       "inputs": [number, 0][: 2 - place], "outputs": [number + 1]})  # fmt: skip
    root = 2 * rounds
    for count in range(passes):
        roots = [{"tensor": root, "node": root, "out": 0, "gradient": value(1.0)}]
        events.append({"n": len(events), "kind": "backward", "place": None, "pass": count, "how": "backward", "roots": roots,
                       "retain_graph": True, "create_graph": False, "inputs": None})  # fmt: skip
        for number in range(root, 0, -1):
            index = 1 if nodes[number]["name"] == "MulBackward0" else 0
            sent = [{"edge": index, "value": value(2.0), "number": 1, "sum": value(2.0)}] if number > 1 else []
            events.append({"n": len(events), "kind": "run", "place": nodes[number]["place"], "pass": count, "node": number,
                           "arrived": [value(2.0)], "sent": sent, "freed": 0, "local": []})  # fmt: skip
        before_grad = value(float(count)) if count else None
        events.append({"n": len(events), "kind": "leaf", "place": None, "pass": count, "node": 0, "tensor": 0, "before": before_grad,
                       "arrived": value(1.0), "after": value(count + 1.0)})  # fmt: skip
        events.append({"n": len(events), "kind": "end", "place": None, "pass": count, "returned": []})
    return {
        "format": "rushlight-recording/1", "program": {"name": "loop.py", "arguments": [], "printed": [], "exit_code": 0, "error": None},
        "sources": [{"id": 0, "name": "loop.py", "lines": lines}], "places": places, "tensors": tensors, "nodes": nodes, "events": events,
        "jacobians": [], "ledger": [], "limits": {"events": 20000, "left_out": 0},
    }  # fmt: skip
