"""The progress on a terminal, whose titles are names that anyone may have chosen."""

import pytest

from memoryd_server.ops.cli.terminal.progress import counting, transferring

NAME = "a[/b]\x9b31m"


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"TTY_COMPATIBLE": "1", "NO_COLOR": "1", "COLUMNS": "80"}.items():
        monkeypatch.setenv(name, value)


def test_a_title_is_no_markup_and_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    with counting() as count:
        count(NAME, 1, 2)
    assert r"a[/b]\u009b31m" in capsys.readouterr().err
    with transferring(NAME) as report:
        assert report is not None
        report(1, 2)
    assert r"a[/b]\u009b31m" in capsys.readouterr().err
