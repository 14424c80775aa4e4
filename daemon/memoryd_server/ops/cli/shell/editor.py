"""The line editor: history, and completion by the tab key. It is that of the standard library."""

import contextlib
import os
import readline
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from click.shell_completion import ShellComplete

from memoryd_server.ops.cli.client.session import Session
from memoryd_server.ops.cli.main import memoryd
from memoryd_server.ops.cli.shell.line import with_agent
from memoryd_server.ops.limit import HISTORY_LINES_MAX


@contextmanager
def editing(session: Session) -> Iterator[None]:
    """Edit the lines of ``input`` during a with block. The history is kept in a file of its owner alone."""
    file = _history_file()
    with contextlib.suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(HISTORY_LINES_MAX)
    readline.set_completer_delims(" \t\n")
    readline.set_completer(Completer(session).complete)
    # The editor of macOS has another language.
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.touch(mode=0o600)
            readline.write_history_file(file)


class Completer:
    """Completes words as a shell does that has the script of `memoryd completion`."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._found: list[str] = []

    def complete(self, text: str, state: int) -> str | None:
        """Return the candidate of this number, or None after the last one."""
        if state == 0:
            self._found = self.candidates(readline.get_line_buffer()[: readline.get_begidx()], text)
        return self._found[state] if state < len(self._found) else None

    def candidates(self, before: str, incomplete: str) -> list[str]:
        """Return the words that may follow a text, and begin with ``incomplete``."""
        try:
            words = shlex.split(before)
        except ValueError:
            return []
        args = ["agent", "get"] if words == ["use"] else with_agent(words, self._session.agent_id)
        completion = ShellComplete(memoryd, {"obj": self._session}, "memoryd", "_MEMORYD_COMPLETE")
        found = [each.value for each in completion.get_completions(args, incomplete)]
        built_in = [name for name in ("use", "help", "exit") if not words and name.startswith(incomplete)]
        return [f"{each} " for each in (*found, *built_in)]


def _history_file() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "memoryd" / "history"
