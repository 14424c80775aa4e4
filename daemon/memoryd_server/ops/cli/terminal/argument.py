"""Arguments as a person types them: JSON, text, or ``-`` for standard input."""

import json
import shlex
import sys
from typing import Any

import click

from memoryd_server.ops.limit import STDIN_BYTES_MAX


def read_value(argument: str, *, is_string: bool) -> tuple[str, str]:
    """Return an argument as JSON text, and the name of its type. ``-`` reads standard input.

    The last line break of standard input is removed. If ``is_string``, the text becomes a JSON string. Raises
    click.UsageError for text that is not JSON.
    """
    text = read_text(argument)
    if is_string:
        return json.dumps(text, ensure_ascii=False), "str"
    try:
        return text, type(read_json(text)).__name__
    except ValueError as error:
        if argument == "-":
            raise click.UsageError(f"standard input is not JSON ({error}): use --string to store it as text") from None
        quoted = shlex.quote(json.dumps(argument, ensure_ascii=False))
        advice = f"quote text as {quoted}, or use" if argument.isalnum() and len(argument) <= 40 else "for text, use"
        raise click.UsageError(f"VALUE is not JSON ({error}): {advice} --string") from None


def read_text(argument: str) -> str:
    """Return an argument as text. ``-`` reads standard input, without its last line break."""
    return _read_stdin().removesuffix("\n") if argument == "-" else argument


def read_json(text: str) -> Any:
    """Return the value of a JSON text. Raises ValueError with the problem."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg.lower()} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_object(text: str) -> dict[str, Any]:
    """Return the value of a JSON object. Raises ValueError with the problem."""
    value = read_json(text)
    if not isinstance(value, dict):
        raise ValueError('must be a JSON object such as {"source": "chat"}')
    return value


def object_option(_context: click.Context, _parameter: click.Parameter, text: str | None) -> dict[str, Any] | None:
    """Parse the value of an option that takes a JSON object."""
    try:
        return None if text is None else read_object(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def read_bytes() -> bytes:
    """Return standard input. Raises click.UsageError if it is longer than STDIN_BYTES_MAX."""
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
