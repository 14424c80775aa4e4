"""Failed calls as one line of text and an exit status."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from memoryd import MemorydError

_LOCAL = ("127.", "localhost:", "[::1]:", "unix:")


class NoAnswer(click.ClickException):
    """The daemon cannot be reached. The exit status is EX_UNAVAILABLE of sysexits.h."""

    exit_code = 69


class Busy(click.ClickException):
    """The daemon has too much to do, and did not begin the call. The exit status is EX_TEMPFAIL of sysexits.h."""

    exit_code = 75


class Missing(click.ClickException):
    """A record that a command names does not exist."""


def failed(error: "MemorydError") -> click.ClickException:
    """Return the exception that ends the command for an error of the client."""
    from memoryd import errors

    if isinstance(error, errors.InvalidTarget):
        return click.UsageError(error.message)
    kind: type[click.ClickException] = click.ClickException
    if isinstance(error, errors.Unavailable | errors.DeadlineExceeded):
        kind = NoAnswer
    elif isinstance(error, errors.Overloaded):
        kind = Busy
    elif isinstance(error, errors.NotFound):
        kind = Missing
    reason = _reason(error)
    return kind(f"{_describe(error)} ({reason})" if reason else _describe(error))


def _describe(error: "MemorydError") -> str:
    from memoryd import errors

    if isinstance(error, errors.Unavailable) and not error.reason:
        return _describe_silence(error.message)
    if isinstance(error, errors.DeadlineExceeded) and not error.reason:
        return "the daemon did not respond in time; raise --timeout"
    if isinstance(error, errors.Unauthenticated):
        return f"{error.message}: set MEMORYD_TOKEN, or see --token-from and --cert-file"
    return error.message


def _reason(error: "MemorydError") -> str:
    from memoryd import errors

    if error.reason:
        return error.reason.removeprefix("ERROR_REASON_")
    if error.code is None or isinstance(error, errors.Unavailable | errors.DeadlineExceeded):
        return ""
    return f"gRPC status {error.code.name}"


def _describe_silence(message: str) -> str:
    """Return the address, the cause and a remedy, from the client's message."""
    address, _, words = message.removeprefix("no answer from memoryd at ").partition(": ")
    # Where the client has no words for it, gRPC puts the system's own words last.
    cause = words.rpartition(": ")[2]
    advice = f"start one with `memoryd serve --listen {address}`, or " if address.startswith(_LOCAL) else ""
    return f"no daemon answers at {address} ({cause}): {advice}set --address"


def not_found(agent_id: str, noun: str, record_id: str) -> click.ClickException:
    """Return the exception for a record that a command names and that does not exist."""
    return Missing(f"agent {agent_id!r} has no {noun} {record_id!r} (RECORD_NOT_FOUND)")
