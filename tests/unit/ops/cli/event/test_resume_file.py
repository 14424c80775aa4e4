from pathlib import Path

import click
import pytest

from memoryd_server.ops.cli.event.resume_file import ResumeFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "place"


def test_what_was_written_is_read_again(path: Path) -> None:
    file = ResumeFile(path)
    assert file.read() is None
    file.write("first")
    file.write("second")
    assert ResumeFile(path).read() == "second"
    assert [found.name for found in path.parent.iterdir()] == ["place"]


def test_an_empty_file_is_a_place_that_is_not_known_yet(path: Path) -> None:
    path.touch()
    assert ResumeFile(path).read() is None


@pytest.mark.parametrize("content", [b"two tokens", b"\xff", b"x" * 20_000])
def test_another_file_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(click.UsageError, match="does not hold a resume token"):
        ResumeFile(path).read()
    assert path.read_bytes() == content


def test_no_token_and_the_same_token_write_nothing(path: Path) -> None:
    file = ResumeFile(path)
    file.write("")
    assert not path.exists()
    file.write("token")
    path.unlink()
    file.write("token")
    assert not path.exists()
