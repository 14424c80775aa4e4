import io
import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memoryd_server.ops import log
from memoryd_server.ops.config.settings import Logging
from memoryd_server.ops.limit import LOG_REPEATS_MAX


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    root, daemon = logging.getLogger(), logging.getLogger(log.LOGGER_NAME)
    handlers, level, daemon_level = root.handlers[:], root.level, daemon.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    daemon.setLevel(daemon_level)


@pytest.fixture
def written() -> Callable[..., str]:
    """Returns the log output of a function under given settings."""

    def write(function: Callable[[logging.Logger], Any], **settings: Any) -> str:
        stream = io.StringIO()
        log.configure(Logging(**settings), stream)
        function(logging.getLogger("memoryd.engine"))
        return stream.getvalue()

    return write


def cleared(logger: logging.Logger) -> None:
    logger.info("Working memory cleared", extra={"agent_id": "a", "count": 3})


def test_text_shows_the_fields_of_a_record(written: Callable[..., str]) -> None:
    line = written(cleared)
    expected = r"[-0-9]+T[:0-9]+\.[0-9]{3}Z INFO    memoryd\.engine Working memory cleared agent_id=a count=3\n"
    assert re.fullmatch(expected, line)


def test_json_has_one_object_a_line(written: Callable[..., str]) -> None:
    line = json.loads(written(cleared, format="json"))
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "memoryd.engine",
        "message": "Working memory cleared",
        "agent_id": "a",
        "count": 3,
    }


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("field", ["value_json", "token", "prompt", "authorization"])
def test_what_agents_remember_and_secrets_are_withheld(written: Callable[..., str], form: str, field: str) -> None:
    line = written(lambda logger: logger.warning("x", extra={field: "hush"}), format=form)
    assert "hush" not in line
    assert "[withheld]" in line


def test_a_clients_text_cannot_begin_a_line_of_its_own(written: Callable[..., str]) -> None:
    line = written(lambda logger: logger.info("a\nb", extra={"key": "c\nd", "scope_name": "a b=c"}))
    assert line.count("\n") == 1
    assert r"a\nb" in line
    assert r'key="c\nd" scope_name="a b=c"' in line


def test_the_level_holds_for_the_daemon_and_libraries_are_heard_from_warning_on(written: Callable[..., str]) -> None:
    def speak(logger: logging.Logger) -> None:
        logger.debug("ours")
        logging.getLogger("library").info("theirs")
        logging.getLogger("library").warning("trouble")

    quiet, verbose = written(speak, level="info"), written(speak, level="debug")
    assert "ours" not in quiet
    assert "ours" in verbose
    assert "theirs" not in verbose
    assert "trouble" in verbose


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_exception_is_logged_with_its_trace(written: Callable[..., str], form: str) -> None:
    def fail(logger: logging.Logger) -> None:
        try:
            raise KeyError("gone")
        except KeyError:
            logger.exception("failed")

    text = written(fail, format=form)
    assert "Traceback" in text
    assert "KeyError" in text


def test_configuring_twice_writes_a_record_once(written: Callable[..., str]) -> None:
    written(cleared)
    assert written(cleared).count("\n") == 1


def test_a_client_that_leaves_is_no_error_of_ours() -> None:
    stream = io.StringIO()
    log.configure(Logging(), stream)
    grpc = logging.getLogger("grpc._cython.cygrpc")
    grpc.error("ExecuteBatchError raised in core by servicer method [%s]", "/a.B/C")
    grpc.error("something else")
    assert [line.split(" ", 4)[-1] for line in stream.getvalue().splitlines()] == ["grpc._cython.cygrpc something else"]


def test_a_callers_repeated_mistake_does_not_fill_the_log(written: Callable[..., str]) -> None:
    def repeat(logger: logging.Logger) -> None:
        for number in range(5_000):
            logger.error("value cannot be serialized", extra={"key": f"key-{number}"})

    assert len(written(repeat).splitlines()) == LOG_REPEATS_MAX


@pytest.mark.parametrize(
    ("content", "level"),
    [("log_level = 'debug'", "DEBUG"), ("workers = 1", "INFO"), ("log_level = 'loud'", "INFO"), ("log_level", "INFO")],
)
def test_the_level_of_the_settings_file_is_read_again(tmp_path: Path, content: str, level: str) -> None:
    log.configure(Logging(level="info"), io.StringIO())
    file = tmp_path / "memoryd.toml"
    file.write_text(content)
    log.reread_level(file)
    assert logging.getLevelName(logging.getLogger(log.LOGGER_NAME).level) == level


def test_a_changed_level_is_logged_at_whatever_level(tmp_path: Path) -> None:
    stream, file = io.StringIO(), tmp_path / "memoryd.toml"
    log.configure(Logging(level="debug"), stream)
    file.write_text("log_level = 'error'")
    log.reread_level(file)
    assert "log level changed log_level=error" in stream.getvalue()
