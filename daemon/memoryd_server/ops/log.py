"""Logging to standard error: one line per record, with its fields.

All layers log through the standard library, with fields as ``extra``, and do not depend on this module::

    log = logging.getLogger("memoryd.engine")
    log.info("memory cleared", extra={"agent_id": agent_id, "count": count})

The names of LogRecord's own attributes (``name``, ``args``, ``message``, …) are not allowed as fields: the library
raises KeyError. Fields that could contain agents' memory or a secret are always masked.
"""

import json
import logging
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from memoryd_server.ops.config.file import read_settings_file
from memoryd_server.ops.config.settings import Logging
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.log_limit import RepeatLimit
from memoryd_server.ports.tracing import current_span

LOGGER_NAME = "memoryd"
"""The root of the daemon's loggers. Other libraries' loggers have the level warning."""

_GRPC_LOGGER_NAME = "grpc._cython.cygrpc"
_CLIENT_LEFT = "ExecuteBatchError raised in core"
_WITHHELD = frozenset(
    {"value", "value_json", "content", "data", "prompt", "query", "token", "authorization", "password", "secret"}
)
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


def configure(settings: Logging, stream: TextIO | None = None) -> None:
    """Configure logging to ``stream`` or standard error. This replaces an earlier configuration."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.format == "json" else TextFormatter())
    handler.addFilter(_is_news)
    handler.addFilter(RepeatLimit())
    handler.addFilter(_with_trace)
    root = logging.getLogger()
    for previous in root.handlers[:]:
        root.removeHandler(previous)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger(LOGGER_NAME).setLevel(settings.level.upper())


def reread_level(file: Path) -> None:
    """Set the level to that of the settings file: ``log_level``, or the one before if the file names none.

    Flags and variables stay as they are in the process, so that a level given by one is only replaced by that of a
    file. Logs a change, and a failure; raises nothing.
    """
    logger = logging.getLogger(LOGGER_NAME)
    try:
        level = str(read_settings_file(file).get("log_level", "")).upper()
        if level and level != logging.getLevelName(logger.level):
            logger.setLevel(level)
            # At a level that is always logged: who raises the level should see that it has worked.
            logger.log(max(logger.level, logging.INFO), "log level changed", extra={"log_level": level.lower()})
    except (OperatorError, ValueError) as error:
        logger.error("log level not changed", extra={"error": str(error)})


def _with_trace(record: logging.LogRecord) -> bool:
    """Add the trace of the call that is being served, if it has one."""
    span = current_span()
    if span is not None:
        record.trace_id = span.trace_id
    return True


def _is_news(record: logging.LogRecord) -> bool:
    """Return False for the error that gRPC logs when a client leaves before its response has left."""
    return not (record.name == _GRPC_LOGGER_NAME and str(record.msg).startswith(_CLIENT_LEFT))


class TextFormatter(logging.Formatter):
    """``TIME LEVEL LOGGER message key=value …``, for people."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line, followed by the traceback of an exception."""
        fields = "".join(f" {name}={_quoted(value)}" for name, value in _fields(record))
        line = f"{_time(record)} {record.levelname:<7} {record.name} {_printable(record.getMessage())}{fields}"
        trace = self._trace(record)
        return f"{line}\n{trace}" if trace else line

    def _trace(self, record: logging.LogRecord) -> str:
        return self.formatException(record.exc_info) if record.exc_info else ""


class JsonFormatter(logging.Formatter):
    """One JSON object per line, for machines: time, level, logger, message, the fields, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        line: dict[str, Any] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name, value in _fields(record):
            line.setdefault(name, value)
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def _fields(record: logging.LogRecord) -> Iterator[tuple[str, object]]:
    for name, value in vars(record).items():
        if name not in _OWN:
            yield name, "[withheld]" if name in _WITHHELD else value


def _time(record: logging.LogRecord) -> str:
    time = datetime.fromtimestamp(record.created, UTC)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z"


def _printable(text: str) -> str:
    # Text of a client must not be able to forge a log line.
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def _quoted(value: object) -> str:
    text = str(value)
    is_plain = text.isprintable() and not any(character in ' "=' for character in text)
    return text if text and is_plain else json.dumps(text, ensure_ascii=not text.isprintable())
