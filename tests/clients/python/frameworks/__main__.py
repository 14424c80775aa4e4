"""Tests the adapters at both ends of the versions that pyproject.toml allows, or writes the locks.

``python -m tests.clients.python.frameworks [--lock] [--end lowest|newest] [NAME...]``; by default all adapters.
"""

import sys
import tempfile
from pathlib import Path

import click
from tests.clients.python.frameworks.framework import ENDS, FRAMEWORKS, Environment, Framework, write_lock


@click.command()
@click.option("--lock", is_flag=True, help="Write the newest allowed versions into the locks, and test nothing.")
@click.option(
    "--end", "ends", type=click.Choice(list(ENDS)), multiple=True, help="An end of the bounds. [default: both]"
)
@click.argument("names", nargs=-1, type=click.Choice(list(FRAMEWORKS)))
def main(*, lock: bool, ends: tuple[str, ...], names: tuple[str, ...]) -> None:
    """Test adapters at both ends of the versions that are allowed, or write the locks."""
    failed = []
    for name in names or FRAMEWORKS:
        if lock:
            write_lock(FRAMEWORKS[name])
            continue
        for end in ends or ENDS:
            click.echo(f"== {name}, {end}")
            try:
                click.echo(_tested(FRAMEWORKS[name], end))
            except AssertionError as error:
                click.echo(str(error), err=True)
                failed.append(f"{name}, {end}")
    if failed:
        sys.exit(f"failed: {'; '.join(failed)}")


def _tested(framework: Framework, end: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        environment = Environment(Path(folder) / "environment", framework)
        environment.install(end)
        return environment.test()


if __name__ == "__main__":
    main()
