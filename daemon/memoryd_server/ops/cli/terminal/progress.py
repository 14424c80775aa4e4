"""Progress on standard error, if it is a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from memoryd_server.ops.cli.terminal.phrase import plain

Report = Callable[[int, int], None]
CountReport = Callable[[str, int, int], None]


@contextmanager
def transferring(title: str) -> Iterator[Report | None]:
    """Show a progress bar during a with block. The block reports (bytes done, total bytes); None if not a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        yield None
        return
    columns = [
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TransferSpeedColumn(),
    ]
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task(plain(title), total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def working(title: str) -> Iterator[None]:
    """Show a spinner during a with block."""
    from rich.console import Console

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        yield
        return
    with console.status(title):
        yield


@contextmanager
def counting() -> Iterator[CountReport]:
    """Show a progress bar during a with block, which reports (title, items done, total items)."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)
        yield lambda title, done, total: progress.update(task, description=plain(title), completed=done, total=total)
