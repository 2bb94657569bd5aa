"""Public functions and methods with arguments that do not fit; `make arguments` makes more calls and holds them against PyTorch."""

from __future__ import annotations

import sys

import pytest
from argument_calls import calls, parameters_of, public_names, space
from arguments import Outcome, outcomes_of, run_all, verdict

import rushlight as torch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits on memory as Linux has them")
NAMES = public_names()
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_no_call_ends_the_process(part: int) -> None:
    names = NAMES[part::PARTS]
    found = [(verdict(ours, None), ours) for ours, _ in outcomes_of(names, 2, seed=1, together=40)]
    assert len(found) == 2 * len(names) > 400
    assert [one for word, one in found if word in ("crash", "hang", "inner error")] == []


def test_names_that_are_asked() -> None:
    assert len(NAMES) > 1900
    assert {"torch.add", "torch.Tensor.view", "torch.nn.functional.conv2d", "torch.nn.Linear", "torch.optim.Adam"} < {*NAMES}
    assert parameters_of("torch.Tensor.add_")[0] == "other"
    assert calls("torch.add", 5, 1) == calls("torch.add", 5, 1) != calls("torch.add", 5, 2)


def test_what_a_call_does_is_told() -> None:
    lines = [
        "torch.ones(2)",
        "torch.add('a', 1)",
        "__import__('os').abort()",
        "torch.ones(2).view(2**62)",
        "torch.full((2**31,), 1.0).numel()",
        "torch.ones(3).__sizeof__.__self__.undefined",
    ]
    found = run_all("rushlight", lines)
    assert [one.line for one in found] == lines
    kinds = [one.kind for one in found]
    assert kinds[0] == "ok" and kinds[1] == "TypeError" and kinds[3:] == ["RuntimeError", "RuntimeError", "AttributeError"]
    assert found[2] == Outcome(lines[2], "crash", "exit status -6")


def test_verdicts() -> None:
    ok, wrong = Outcome("f()", "ok"), Outcome("f()", "TypeError")
    assert verdict(ok, wrong) == "accepted" and verdict(wrong, ok) == "refused" and verdict(wrong, wrong) == "fine"
    assert verdict(Outcome("f()", "RuntimeError"), wrong) == "other kind"
    assert verdict(Outcome("f()", "SystemError"), None) == "inner error"
    assert verdict(Outcome("f()", "hang"), Outcome("f()", "hang")) == "PyTorch hang"
    assert verdict(Outcome("f()", "hang"), wrong) == "hang" and verdict(Outcome("f()", "crash"), None) == "crash"
    assert verdict(Outcome("f()", "ok", "ValueError when looked at"), None) == "broken result"


WORDS = {
    "torch.sin_(3)": "sin_(): argument 'input' (position 1) must be Tensor, not int",
    "torch.sin_(input=3)": "sin_(): argument 'input' must be Tensor, not int",
    "torch.sin_()": 'sin_() missing 1 required positional arguments: "input"',
    "torch.nn.functional.celu_('a')": "celu_(): argument 'input' (position 1) must be Tensor, not str",
    "torch.as_strided_(3, (1,), (1,))": "as_strided_(): argument 'input' (position 1) must be Tensor, not int",
    "torch.atleast_1d(torch.ones(1), 4)": "expected Tensor as element 1 in argument 0, but got int",
    "torch.linalg.multi_dot([3, 4])": "expected Tensor as element 0 in argument 0, but got int",
    "torch.slice_copy(3)": "slice_copy(): argument 'input' (position 1) must be Tensor, not int",
    "torch.diag((ctypes.c_float * 3)())": "diag(): argument 'input' (position 1) must be Tensor, not c_float_Array_3",
}


@pytest.mark.parametrize("line", WORDS)
def test_arguments_that_are_no_tensors(line: str) -> None:
    with pytest.raises(TypeError) as error:
        eval(line, space(torch))
    assert str(error.value) == WORDS[line]


def test_tensors_written_into_may_be_given_by_name() -> None:
    x = torch.zeros(2)
    assert torch.cos_(input=x) is x and x.tolist() == [1, 1]
    assert torch.nn.functional.celu_(input=x) is x
    assert torch.lcm_(input=torch.tensor([4]), other=torch.tensor([6])).item() == 12


def test_more_memory_than_there_is() -> None:
    (found,) = run_all("rushlight", ["torch.repeat_interleave(torch.ones(2, 3), 2**31, 0)"])
    assert found.kind == "RuntimeError" and "you tried to allocate 51539607552 bytes" in found.text
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        torch.ones(3).tensor_split(10**30)


def test_more_parts_than_there_is_memory_for() -> None:
    with pytest.raises(RuntimeError, match=r"^cannot create std::vector larger than max_size\(\)$"):
        torch.tensor_split(torch.ones(2, 3), torch.tensor(2**62))
    with pytest.raises(RuntimeError, match=r"^cannot create std::vector larger than max_size\(\)$"):
        torch.ones(2, 0).chunk(2**62, 1)
    with pytest.raises(RuntimeError, match="is not divisible by the split_size 4611686018427387904!"):
        torch.hsplit(torch.ones(2, 3), torch.tensor(2**62))
    (found,) = run_all("rushlight", ["torch.tensor_split(torch.ones(2, 3), 2**40)"])
    assert found[1:] == ("RuntimeError", "std::bad_alloc")


def test_storages_larger_than_memory() -> None:
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        torch.FloatStorage(2**62)
    with pytest.raises(RuntimeError, match="you tried to allocate 4611686018427387904 bytes"):
        torch.UntypedStorage(2**62)
    with pytest.raises(RuntimeError, match="called with negative number: 18446744073709551615"):
        torch.UntypedStorage(3).resize_(-1)
    with pytest.raises(RuntimeError, match="Expected a sequence type, but got bool"):
        torch.UntypedStorage(True)


FLAGS = {
    "torch.ones(2, 3).sum(0, keepdim=1)": "sum(): argument 'keepdim' must be bool, not int",
    "torch.ones(2, 3).amax(0, None)": "amax(): argument 'keepdim' (position 2) must be bool, not NoneType",
    "torch.topk(torch.ones(3), 1, 0, np.bool_(True))": "topk(): argument 'largest' (position 4) must be bool, not numpy.bool",
    "torch.topk(torch.ones(3), 'a', 0, 1)": "topk(): argument 'k' (position 2) must be int, not str",
    "torch.linalg.svd(torch.ones(3, 3), 1)": "linalg_svd(): argument 'full_matrices' (position 2) must be bool, not int",
    "torch.nn.functional.kl_div(torch.ones(3), torch.ones(3), log_target=1)": "kl_div(): argument 'log_target' must be bool, not int",
    "torch.nn.functional.avg_pool2d(torch.ones(1, 1, 4, 4), 2, ceil_mode=torch.tensor(True))": (
        "avg_pool2d(): argument 'ceil_mode' must be bool, not Tensor"
    ),
}


SWITCHES = {
    "torch.autograd.set_detect_anomaly(1)": "set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not int",
    "torch.autograd.set_detect_anomaly(True, 1)": "set_anomaly_enabled(): argument 'check_nan' (position 2) must be bool, not int",
    "torch.autograd.set_multithreading_enabled(mode='a')": (
        "set_multithreading_enabled(): argument 'enabled' (position 1) must be bool, not str"
    ),
    "torch.autograd.enforce_grad_layout_policy(1)": (
        "set_grad_layout_enforcement_enabled(): argument 'enabled' (position 1) must be bool, not int"
    ),
    "torch.set_autocast_enabled('cpu', 1)": "set_autocast_enabled(): argument 'enabled' (position 2) must be bool, not int",
    "torch.set_autocast_cache_enabled(1)": "enabled must be a bool (got int)",
    "torch.dropout(torch.ones(2), 0.5, 1)": "dropout(): argument 'train' (position 3) must be bool, not int",
    "torch.ones(2).copy_(torch.ones(2), 3)": "copy_(): argument 'non_blocking' (position 2) must be bool, not int",
    "torch.nn.UninitializedBuffer(0.5)": "_make_subclass(): argument 'require_grad' (position 3) must be bool, not float",
}
FLAGS |= SWITCHES


def test_switches_that_are_refused_leave_what_was() -> None:
    for line in SWITCHES:
        with pytest.raises(TypeError):
            eval(line, space(torch))
    assert not torch.is_anomaly_enabled() and not torch.is_autocast_enabled("cpu") and torch.is_autocast_cache_enabled()


@pytest.mark.parametrize("line", FLAGS)
def test_flags_that_are_no_bool(line: str) -> None:
    with pytest.raises(TypeError) as error:
        eval(line, space(torch))
    assert str(error.value) == FLAGS[line]


def test_flags_that_are_asked_in_python_take_anything() -> None:
    assert torch.nn.functional.relu(torch.ones(1), 1).item() == 1
    assert torch.pca_lowrank(torch.ones(3, 3), 2, 1)[1].shape == (2,)


@pytest.mark.filterwarnings("ignore:size_average")
def test_reductions_in_the_older_words() -> None:
    one, other = torch.zeros(2), torch.ones(2)
    loss = torch.nn.functional.mse_loss
    assert loss(one, other, 0, 1).item() == 2.0 and loss(one, other, True, 0).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value"):
        loss(one, other, torch.ones(2))


def test_a_tolerance_that_only_says_that_it_is_long() -> None:
    """Its elements were made room for first, all 2**31 of them."""
    (said,) = run_all("rushlight", ["torch.pinverse(input=torch.eye(3), rcond=Liar())"])
    assert (said.kind, said.text) == ("TypeError", "pinverse(): argument 'rcond' must be float, not Liar")


def test_what_writes_files_is_given_a_file() -> None:
    """PyTorch says the same and may end the process."""
    lines = ["(None)", "(pathlib.Path('a'), 'a')", "(memoryview(b'abcd'))", "(pathlib.Path('a'), True, torch.ones(2))"]
    for said in run_all("rushlight", [f"torch.PyTorchFileWriter{line}" for line in lines]):
        assert said.kind == "TypeError" and "incompatible constructor arguments" in said.text
