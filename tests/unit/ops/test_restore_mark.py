from pathlib import Path

import pytest

from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.restore_mark import RestoreMarkFile


def test_the_mark_of_a_restore_lasts_until_it_is_cleared(tmp_path: Path) -> None:
    path = tmp_path / "restoring"
    mark = RestoreMarkFile(path)
    assert mark.read() == ""
    mark.clear()
    mark.write("named")
    assert RestoreMarkFile(path).read() == "named"
    mark.clear()
    assert RestoreMarkFile(path).read() == ""
    assert not list(tmp_path.iterdir())


def test_a_mark_that_cannot_be_used_is_the_operators_problem(tmp_path: Path) -> None:
    mark = RestoreMarkFile(tmp_path / "missing" / "restoring")
    with pytest.raises(OperatorError, match=r"restore: cannot use .*restoring: No such file or directory"):
        mark.write("named")
    (tmp_path / "restoring").mkdir()
    mark = RestoreMarkFile(tmp_path / "restoring")
    for use in (mark.read, mark.clear):
        with pytest.raises(OperatorError, match="restore: cannot use"):
            use()
