"""Groups of commands that say which command a mistyped name may have meant."""

import click
from typing_extensions import override


class CommandGroup(click.Group):
    """Commands below a noun. An unknown one fails with the nearest name, or with where all are listed."""

    @override
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand, or fail with advice."""
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from difflib import get_close_matches

            nearest = get_close_matches(args[0], self.list_commands(ctx), n=1)
            advice = f"Did you mean {nearest[0]!r}?" if nearest else f"See `{ctx.command_path} --help`."
            ctx.fail(f"No such command {args[0]!r}. {advice}")
        return super().resolve_command(ctx, args)
