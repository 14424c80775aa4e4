"""The options that select records, which all commands that list, search or compose records share."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import click

from memoryd_server.ops.cli.terminal.argument import read_json

F = TypeVar("F", bound=Callable[..., Any])


def selecting(noun: str) -> Callable[[F], F]:
    """Return a decorator that adds the options of users and metadata to a command about these records.

    The command receives ``selection``, the arguments of the client's method.
    """
    options = (
        click.option(
            "--user",
            "user_ids",
            multiple=True,
            metavar="ID",
            help=f"Select the {noun} of this user; '' selects those of no user. Repeatable.  [default: '']",
        ),
        click.option("--all-users", is_flag=True, help=f"Select the {noun} of all users."),
        with_metadata(noun),
    )
    return lambda function: _with_options(function, options)


def with_metadata(noun: str) -> Callable[[F], F]:
    """Return the option of conditions on metadata. The command receives them as ``conditions``, by their paths."""
    return click.option(
        "--metadata",
        "conditions",
        multiple=True,
        metavar="PATH=JSON",
        callback=_conditions,
        help=f"Select only {noun} whose metadata have this value, such as customer.tier='\"gold\"'. Repeatable.",
    )


def selecting_users(noun: str) -> Callable[[F], F]:
    """Return ``selecting`` without the option of metadata, for records that have none."""
    return lambda function: _without_metadata(selecting(noun)(function))


def _with_options(function: F, options: tuple[Callable[[Any], Any], ...]) -> F:
    @functools.wraps(function)
    def command(
        *arguments: Any,
        user_ids: tuple[str, ...],
        all_users: bool,
        conditions: dict[str, Any] | None = None,
        **rest: Any,
    ) -> Any:
        if all_users and user_ids:
            raise click.UsageError("--user and --all-users exclude each other.")
        chosen = {name: value for name, value in (("user_ids", user_ids), ("metadata", conditions)) if value}
        return function(*arguments, selection={"all_users": all_users, "filter": chosen}, **rest)

    for option in reversed(options):
        command = option(command)
    return cast("F", command)


def _without_metadata(command: Any) -> Any:
    command.__click_params__ = [each for each in command.__click_params__ if each.name != "conditions"]
    return command


def _conditions(_context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, Any]:
    conditions = {}
    for each in given:
        path, equals, text = each.partition("=")
        if not equals:
            raise click.BadParameter(f"{each!r} must be PATH=JSON")
        try:
            conditions[path] = read_json(text)
        except ValueError as error:
            raise click.BadParameter(f"the value of {path!r} is not JSON ({error})") from None
    return conditions
