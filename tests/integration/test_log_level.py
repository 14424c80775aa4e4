"""The level of the log, which follows the settings file while the daemon runs."""

import signal
from collections.abc import Callable
from pathlib import Path

from tests.daemon import Daemon
from tests.wait import until


def test_the_level_follows_the_settings_file(launch_process: Callable[..., Daemon], tmp_path: Path) -> None:
    file = tmp_path / "memoryd.toml"
    file.write_text("durability = 'memory'\n")
    daemon = launch_process("--config", str(file))
    file.write_text("durability = 'memory'\nlog_level = 'debug'\n")
    daemon.signal(signal.SIGHUP)
    until(lambda: "log level changed log_level=debug" in daemon.log, "the file has been read")
    file.write_text("durability = 'memory'\nlog_level = 'loud'\n")
    daemon.signal(signal.SIGHUP)
    until(lambda: "log level not changed" in daemon.log, "the file has been refused")
