"""Programs that are forked have the answer that is theirs, also after one that does not end."""

from __future__ import annotations

from pathlib import Path

import pytest
from forking import Forks


def test_what_does_not_end_is_ended_and_the_next_begins_afresh(tmp_path: Path) -> None:
    forks = Forks("import signal, time; does = lambda words: exec(words[0])", "does", patience=0.1)
    with pytest.raises(TimeoutError, match="has not ended"):
        forks(tmp_path, "time.sleep(600)")
    forks._patience = 300
    done = forks(tmp_path, "print(os.getcwd()); print('no', file=sys.stderr); sys.exit(3)")
    assert (done.stdout.decode(), done.stderr, done.returncode) == (f"{tmp_path}\n", b"no\n", 3)
    assert forks(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)").returncode == -9
    forks.end()
