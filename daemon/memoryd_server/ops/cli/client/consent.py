"""The consent to what cannot be undone: a question on a terminal, ``--yes`` elsewhere, and ``--dry-run``."""

import functools
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import click

from memoryd_server.ops.cli.terminal.output import Output

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS = (
    click.option("--yes", is_flag=True, help="Do it without a question. Required where no terminal can ask."),
    click.option("--dry-run", is_flag=True, help="Print what the command would do, and change nothing."),
)


class Consent(NamedTuple):
    """The options ``--yes`` and ``--dry-run``."""

    yes: bool
    dry_run: bool

    def to(self, output: Output, describe: Callable[[], str], *, needed: bool = True) -> bool:
        """Return True if the command is to act. With ``--dry-run``, write what it would do, and return False.

        ``describe`` returns the deed as a verb with its objects and their number, such as ``delete 3 notes``. It may
        call the daemon, and is called only where its text is shown. ``needed`` is False for a deed that needs no
        consent. Raises click.Abort for a no, and click.UsageError where nobody can be asked.
        """
        if self.dry_run:
            deed = describe()
            output.done({"dry_run": True, "would": deed}, f"would {deed}")
            return False
        if needed and not self.yes:
            if not sys.stdin.isatty():
                raise click.UsageError(
                    "This cannot be undone, and there is no terminal to ask: add --yes, or --dry-run to see what it "
                    "would do."
                )
            deed = describe()
            click.confirm(f"{deed[0].upper()}{deed[1:]}? This cannot be undone.", abort=True, err=True)
        return True


def with_consent(function: F) -> F:
    """Add ``--yes`` and ``--dry-run``. The command receives them as ``consent``."""

    @functools.wraps(function)
    def command(*arguments: Any, yes: bool, dry_run: bool, **rest: Any) -> Any:
        return function(*arguments, consent=Consent(yes, dry_run), **rest)

    return cast("F", functools.reduce(lambda decorated, option: option(decorated), reversed(OPTIONS), command))
