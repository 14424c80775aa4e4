"""A call that failed, as one line and an exit code."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from memoryd import MemorydError

_BESIDE_US = ("127.", "localhost:", "[::1]:", "unix:")


class NoAnswer(click.ClickException):
    """No daemon answers. The exit code is EX_UNAVAILABLE of sysexits.h."""

    exit_code = 69


def failed(error: "MemorydError") -> click.ClickException:
    """The exception of click that ends the command for the client's error."""
    from memoryd import errors

    if isinstance(error, errors.InvalidTarget):
        return click.UsageError(error.message)
    kind = NoAnswer if isinstance(error, errors.Unavailable | errors.DeadlineExceeded) else click.ClickException
    reason = _reason(error)
    return kind(f"{_describe(error)} ({reason})" if reason else _describe(error))


def _describe(error: "MemorydError") -> str:
    from memoryd import errors

    if isinstance(error, errors.Unavailable) and not error.reason:
        return _describe_silence(error.message)
    if isinstance(error, errors.DeadlineExceeded) and not error.reason:
        return "the daemon did not answer in time: see --timeout"
    if isinstance(error, errors.Unauthenticated):
        return f"{error.message}: set MEMORYD_TOKEN, or see --token-from and --cert-file"
    return error.message


def _reason(error: "MemorydError") -> str:
    from memoryd import errors

    if isinstance(error, errors.Unavailable) and not error.reason:
        return "UNREACHABLE"
    if error.reason or error.code is None:
        return error.reason.removeprefix("ERROR_REASON_")
    return error.code.name


def _describe_silence(message: str) -> str:
    """Name the address, the cause, and what to do, from what the client says and gRPC's words in it."""
    address, _, words = message.removeprefix("no answer from memoryd at ").partition(": ")
    # gRPC puts the system's own words last: "... Failed to connect to remote host: Connection refused".
    cause = "its TLS is not ours" if "handshake" in words.lower() else words.rpartition(": ")[2]
    advice = f"start one by `memoryd serve --listen {address}`, or " if address.startswith(_BESIDE_US) else ""
    return f"no daemon answers at {address} ({cause}): {advice}name another with --address"
