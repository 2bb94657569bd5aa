"""What an import leaves as it was, and where it works."""

import gc
import os
import subprocess
import sys

import pytest

from rushlight.base.startup import collector_at_rest


@pytest.mark.parametrize("is_on", [True, False])
def test_an_import_leaves_the_collector_as_it_was_and_nothing_for_it_to_look_through(is_on):
    program = (
        f"import gc\n{'' if is_on else 'gc.disable()'}\nyoung = [0]\n"
        "gc.callbacks.append(lambda phase, told: young.append(len(gc.get_objects(generation=0))))\n"
        "import rushlight\nprint(gc.isenabled(), max(young))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    said, looked_at = done.stdout.split()
    assert said == str(is_on) and int(looked_at) < 20_000


def test_what_others_froze_stays_so():
    gc.freeze()
    before = gc.get_freeze_count()
    with collector_at_rest():
        pass
    assert gc.get_freeze_count() == before > 0


def test_an_import_that_fails_does_so_too():
    with pytest.raises(ImportError), collector_at_rest():
        assert not gc.isenabled()
        raise ImportError
    assert gc.isenabled()


# In a browser Python has no processes and starts no threads: https://pyodide.org/en/stable/usage/wasm-constraints.html
ABSENT_IN_A_BROWSER = """
import _thread, os, sys, threading

ABSENT = {"_multiprocessing", "_posixshmem", "_posixsubprocess", "curses", "dbm", "fcntl", "grp", "pwd", "resource", "ssl", "syslog", "termios"}

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

def refused(*args, **kwargs):
    raise RuntimeError("can't start new thread")

sys.meta_path.insert(0, Absent())
for name in ABSENT & set(sys.modules):
    del sys.modules[name]
for name in ("fork", "register_at_fork", "sched_getaffinity", "killpg"):
    if hasattr(os, name):
        delattr(os, name)
_thread.start_new_thread = threading._start_new_thread = refused
"""

A_PROGRAM = """
import rushlight as torch
from rushlight.utils.data import DataLoader, TensorDataset

net = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.Flatten(), torch.nn.Linear(72, 3))
optimizer = torch.optim.Adam(net.parameters())
for images, labels in DataLoader(TensorDataset(torch.rand(8, 1, 8, 8), torch.arange(8) % 3), batch_size=4, shuffle=True):
    loss = torch.nn.functional.cross_entropy(net(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
large = torch.rand(700, 700, requires_grad=True)
(large @ large).relu().sum().backward()
torch.save(net.state_dict(), sys.argv[1])
print(len(torch.load(sys.argv[1])))
double = torch.compile(lambda x: (x * 2).sum())
print([double(torch.ones(3)).item() for _ in range(3)])
print(torch.explain(double(torch.ones(3, requires_grad=True)) * 1).form(".html").count("</html>"))
"""


@pytest.mark.parametrize("kernels", ["", "numpy"])
def test_all_runs_where_there_are_no_threads_and_no_processes(kernels, tmp_path):
    program = [sys.executable, "-c", ABSENT_IN_A_BROWSER + A_PROGRAM, str(tmp_path / "net.pt")]
    env = {**os.environ, "RUSHLIGHT_KERNELS": kernels, "OMP_NUM_THREADS": "2"}
    ran = subprocess.run(program, capture_output=True, text=True, env=env)
    assert (ran.stdout, ran.stderr) == ("9\n[6.0, 6.0, 6.0]\n1\n", "")
