"""Arguments and options that name an agent, a key or a record: a shell completes them, and ids may be short."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from typing_extensions import override

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])


class _Named(click.Parameter):
    """A parameter that is the name of a thing that exists, or of several."""

    def __init__(self, *arguments: Any, noun: str, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.noun = noun

    @override
    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Return the names that begin with a text."""
        return _complete(ctx, self.noun, incomplete)


class NameArgument(_Named, click.Argument):
    """An argument that is such a name."""


class NameOption(_Named, click.Option):
    """An option whose value is such a name."""


def name_argument(noun: str, name: str = "", **attributes: Any) -> Callable[[F], F]:
    """Return the argument for a thing of this noun. The command receives it as ``name``, by default ``<noun>_id``."""
    attributes.setdefault("metavar", noun.upper())
    return click.argument(name or f"{noun}_id", cls=NameArgument, noun=noun, **attributes)


def name_option(noun: str, *declarations: str, **attributes: Any) -> Callable[[F], F]:
    """Return an option for a thing of this noun."""
    return click.option(*declarations, cls=NameOption, noun=noun, **attributes)


def name_parameters(command: click.Command) -> list[NameArgument | NameOption]:
    """Return the parameters of a command that are names of things that exist."""
    return [each for each in command.params if isinstance(each, NameArgument | NameOption)]


def _complete(ctx: click.Context, noun: str, incomplete: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    # The command knows the daemon.
    names_of = getattr(ctx.command, "names_beginning", None)
    return [] if names_of is None else [CompletionItem(name) for name in names_of(ctx, noun, incomplete)]
