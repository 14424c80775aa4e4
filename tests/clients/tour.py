"""The tours: one sample program in every language, which prints the same lines while its daemon is killed."""

import os
import subprocess
import tempfile
from pathlib import Path

from tests.clients.language import Language
from tests.clients.outcome import Outcome
from tests.daemon import Daemon

LINES = Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
"""The lines that each tour prints."""
RESTART = "Kill the daemon, start it again, and press Enter."
TOUR_S_MAX = 300.0


def play_tour(language: Language, outcome: Outcome) -> None:
    """Run the tour with a daemon of its own, which is killed and started again when the tour asks for it."""
    with tempfile.TemporaryDirectory(prefix="memoryd-tour-") as directory:
        daemon = Daemon(Path(directory))
        daemon.start()
        try:
            lines, errors = _run(language, daemon)
        finally:
            daemon.close()
    if lines != LINES:
        printed = "\n".join(lines)
        outcome.failures.append(f"tour printed other lines than {Path(__file__).stem}.txt:\n{printed}\n{errors}")
        outcome.samples_passed = False


def _run(language: Language, daemon: Daemon) -> tuple[list[str], str]:
    """Return the lines that the tour printed, and its errors."""
    with tempfile.TemporaryFile("w+") as errors:
        tour = subprocess.Popen(
            ["timeout", "--signal=KILL", f"{TOUR_S_MAX}", *language.tour],
            cwd=language.folder,
            env={**os.environ, "MEMORYD_ADDRESS": daemon.address},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert tour.stdin is not None
        assert tour.stdout is not None
        lines = []
        for line in tour.stdout:
            lines.append(line.rstrip("\n"))
            if lines[-1] == RESTART:
                daemon.kill()
                daemon.start()
                tour.stdin.write("\n")
                tour.stdin.flush()
        status = tour.wait()
        errors.seek(0)
        return lines, errors.read() + (f"exit status {status}" if status else "")
