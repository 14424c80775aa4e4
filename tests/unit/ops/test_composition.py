"""The composition of the daemon."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "needless", ["redis", "sqlite3", "opentelemetry", "prometheus_client", "memoryd.api", "pytest"]
)
def test_a_daemon_does_not_load_what_its_settings_do_not_ask_for(needless: str) -> None:
    program = f"import sys, memoryd_server.ops.composition; assert {needless!r} not in sys.modules"
    # Measuring coverage of processes loads modules into each of them.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
