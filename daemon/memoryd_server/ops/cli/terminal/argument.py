"""A value as a person types it: JSON, or a text."""

import json
import shlex
import sys
from typing import Any

import click

STDIN_BYTES_MAX = 64 * 1024 * 1024
"""As much as any message may hold; the daemon's own limit is lower and is told by the daemon."""


def read_value(argument: str, *, is_string: bool) -> tuple[str, str]:
    """An argument as JSON text, or standard input when that is ``-``, and the name of its type.

    The line break at the end of standard input is left out. Raises click.UsageError when it is not JSON; ``is_string``
    takes it as a text.
    """
    text = read_text(argument)
    if is_string:
        return json.dumps(text, ensure_ascii=False), "str"
    try:
        return text, type(read_json(text)).__name__
    except ValueError as error:
        if argument == "-":
            raise click.UsageError(
                f"standard input is not JSON ({error}): use --string to store it as a text"
            ) from None
        quoted = shlex.quote(json.dumps(argument, ensure_ascii=False))
        advice = (
            f"quote a text as {quoted}, or use" if argument.isalnum() and len(argument) <= 40 else "for a text, use"
        )
        raise click.UsageError(f"VALUE is not JSON ({error}): {advice} --string") from None


def read_text(argument: str) -> str:
    """An argument as a text, or standard input without the line break at its end when that is ``-``."""
    return _read_stdin().removesuffix("\n") if argument == "-" else argument


def read_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError that says what is wrong."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg.lower()} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_object(text: str) -> dict[str, Any]:
    """The value of a JSON object. Raises ValueError that says what is wrong."""
    value = read_json(text)
    if not isinstance(value, dict):
        raise ValueError('an object such as {"source": "chat"} is needed')
    return value


def object_option(_context: click.Context, _parameter: click.Parameter, text: str | None) -> dict[str, Any] | None:
    """The callback of an option that takes a JSON object."""
    try:
        return None if text is None else read_object(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def read_bytes() -> bytes:
    """Standard input. Raises click.UsageError when it is too long."""
    content = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
    if len(content) > STDIN_BYTES_MAX:
        raise click.UsageError(f"standard input is longer than {STDIN_BYTES_MAX:,} bytes")
    return content


def _read_stdin() -> str:
    content = read_bytes()
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise click.UsageError("standard input is not UTF-8") from None


def _refuse(constant: str) -> None:
    raise ValueError(f"JSON has no {constant}")
