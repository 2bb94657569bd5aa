"""What rushlight adds to PyTorch's sentences is a note of the error: printed with the traceback, no part of its text."""

from collections.abc import Callable
from pathlib import Path

import pytest
from explain.processes import forked

import rushlight as torch


def _twice() -> None:
    loss = torch.ones(3, requires_grad=True).exp().sum()
    loss.backward()
    loss.backward()


@pytest.mark.parametrize(
    ("run", "end", "note"),
    [
        (lambda: torch.ones(3) + torch.ones(4), "at non-singleton dimension 0", "  The shapes are [3] and [4]"),
        (lambda: torch.ones(2, 3) @ torch.ones(4, 5), "(2x3 and 4x5)", "  The number of columns"),
        (
            lambda: torch.cat([torch.ones(2, 3), torch.ones(2, 4)]),
            "number 1 in the list.",
            "  The shapes are [[2, 3], [2, 4]].",
        ),
        (lambda: torch.ones(3, requires_grad=True).exp().backward(), "for scalar outputs", "  This tensor (result of Exp"),
        (lambda: torch.ones(3).sum().backward(), "does not have a grad_fn", "  Nothing it was computed from"),
        (_twice, "after calling backward.", "  ExpBackward0 was recorded at "),
    ],
)
def test_the_text_ends_with_pytorchs_sentence_and_the_rest_is_a_note(run: Callable[[], object], end: str, note: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        run()
    assert str(caught.value).endswith(end)
    assert [one[: len(note)] for one in caught.value.__notes__] == [note]


def test_a_program_that_rushlight_runs_prints_the_note_below_the_sentence(tmp_path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import torch\ntorch.ones(3) + torch.ones(4)\n")
    sentence, note = forked(tmp_path, "program.py").stderr.decode().splitlines()[-2:]
    assert sentence.endswith("at non-singleton dimension 0")
    assert note.startswith("  The shapes are [3] and [4]")


def _without_brackets() -> None:
    with torch.no_grad:
        pass


def _leaf() -> torch.Tensor:
    return torch.ones(3, requires_grad=True)


@pytest.mark.parametrize(
    ("run", "sentence", "note"),
    [
        (
            lambda: (_leaf() * 2).backward([1, 1, 1]),
            "gradients can be either Tensors or None, but got int",
            "torch.tensor([1, 1, 1])",
        ),
        (lambda: (_leaf() * 2).backward(1.0), "'float' object is not iterable", "torch.full_like(output, 1.0)"),
        (lambda: _leaf().add_(1), "a leaf Variable that requires grad is being used in an in-place operation.", "no_grad()"),
        (
            lambda: _leaf()[0].zero_(),
            "a view of a leaf Variable that requires grad is being used in an in-place operation.",
            "no_grad()",
        ),
        (
            lambda: torch.tensor([1, 2], requires_grad=True),
            "Only Tensors of floating point and complex dtype can require gradients",
            "Write 1.0 for 1",
        ),
        (
            lambda: torch.ones(2, dtype=torch.int64, requires_grad=True),
            "Only Tensors of floating point and complex dtype can require gradients",
            "Write 1.0 for 1",
        ),
        (
            lambda: torch.arange(2).requires_grad_(),
            "only Tensors of floating point dtype can require gradients",
            "Write 1.0 for 1",
        ),
        (_without_brackets, "'type' object does not support the context manager protocol", "torch.no_grad():"),
    ],
)
def test_what_beginners_meet_comes_with_advice(run: Callable[[], object], sentence: str, note: str) -> None:
    with pytest.raises((RuntimeError, TypeError)) as caught:
        run()
    assert str(caught.value) == sentence
    (advice,) = caught.value.__notes__
    assert note in advice


def test_notes_are_added_in_one_place_and_below_what_python_raises() -> None:
    """So that no sentence is lengthened elsewhere: tests/conformance/test_error_notes.py holds those with a note to PyTorch's."""
    root = Path(torch.__file__).parent
    found = {path.relative_to(root).as_posix() for path in root.rglob("*.py") if ".add_note(" in path.read_text()}
    assert found == {"backend/notes.py", "as_torch/advice.py"}
