"""A daemon as a process of its own."""

import json
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import IO

from memoryd.testing.failure import DaemonFailed

START_S_MAX = 60.0
STOP_S_MAX = 30.0
LOG_LINES_MAX = 200


@contextmanager
def running_process(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    """Run a daemon for as long as the block lasts, which has its address. Raises DaemonFailed if it does not start."""
    try:
        process = subprocess.Popen(  # noqa: S603 - the command of the one who runs the tests
            [*command, "--log-format", "json"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        message = f"{command[0]} cannot be run: {error.strerror}: install memoryd-server, or set MEMORYD_TEST_COMMAND"
        raise DaemonFailed(message) from error
    assert process.stderr is not None
    address: Future[str] = Future()
    log: deque[str] = deque(maxlen=LOG_LINES_MAX)
    reader = threading.Thread(target=_read, args=(process.stderr, address, log), name="memoryd-log", daemon=True)
    reader.start()
    try:
        try:
            bound = address.result(START_S_MAX)
        except (TimeoutError, EOFError) as error:
            raise DaemonFailed("the daemon did not start:\n" + "".join(log)) from error
        yield bound
    finally:
        _stop(process)
        reader.join()
        process.stderr.close()


def address_of(line: str) -> str | None:
    """Return the address that the daemon serves if a line of its log says so."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    is_serving = isinstance(record, dict) and record.get("message") == "serving"
    return str(record["listen"]) if is_serving else None


def _read(lines: IO[str], address: "Future[str]", log: deque[str]) -> None:
    """Read the log to its end: a daemon whose pipe is full would stop."""
    for line in lines:
        log.append(line)
        if not address.done() and (bound := address_of(line)) is not None:
            address.set_result(bound)
    if not address.done():
        address.set_exception(EOFError())


def _stop(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_S_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
