"""The dashboard and the alerts, asked of a Prometheus that scrapes a daemon as the page says."""

import json
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.daemon import Daemon
from tests.deployment.chart import DEPLOY
from tests.deployment.program import lacks
from tests.integration.wire import Wire, refused
from tests.port import free_address
from tests.wait import until

from memoryd.v1 import snapshot_service_pb2 as pb

PAGE = DEPLOY.parent / "docs" / "operations" / "observing.md"
DASHBOARD = json.loads((DEPLOY / "grafana" / "memoryd.json").read_text("utf-8"))
EXPRESSIONS = {
    f"{panel['title']}, {target['refId']}": target["expr"]
    for panel in DASHBOARD["panels"]
    for target in panel.get("targets", ())
}
SHOWN = re.compile(r"^```yaml\n# prometheus.yml\n(.*?)^```", re.DOTALL | re.MULTILINE)
"""The settings that the page shows."""
OFTEN = "global: {scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 200ms}\n"
VARIABLES = {"$__rate_interval": "10s", "$instance": ".*"}

pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(lacks("prometheus", "promtool"), reason="prometheus is not installed"),
]


class Prometheus:
    """A Prometheus with the page's settings, and the alerts beside them, that scrapes a daemon."""

    def __init__(self, directory: Path, scraped: str) -> None:
        self.settings = directory / "prometheus.yml"
        self._log, self._address = directory / "prometheus.log", free_address()
        (shown,) = SHOWN.findall(PAGE.read_text("utf-8"))
        self.settings.write_text(OFTEN + shown.replace("127.0.0.1:9464", scraped))
        (directory / "alerts.yml").write_bytes((DEPLOY / "prometheus" / "alerts.yml").read_bytes())
        command = ["prometheus", f"--config.file={self.settings}", f"--storage.tsdb.path={directory / 'tsdb'}"]
        with self._log.open("wb") as log:
            command += [f"--web.listen-address={self._address}", "--log.level=warn"]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def get(self, path: str, **parameters: str) -> Any:
        """Return the data of a response of its API."""
        url = f"http://{self._address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url) as response:
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            # It is an OSError, for which ``until`` would wait: as long as it starts, but not for what it refuses.
            if error.code == 503:
                raise
            raise AssertionError(error.read().decode()) from None

    def alerts(self) -> set[str]:
        return {each["labels"]["alertname"] for each in self.get("alerts")["alerts"]}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon with a snapshot, that has served a call and refused another."""
    daemon = Daemon(tmp_path_factory.mktemp("scraped"), "--metrics-listen", free_address())
    daemon.start()
    with daemon.channel() as channel:
        wire = Wire(channel)
        wire.agent().write({"a": 1})
        refused(lambda: wire.agent().set("key", 1, "no-such-scope"))
        wire.snapshots.CreateSnapshot(pb.CreateSnapshotRequest())
    yield daemon
    daemon.close()


@pytest.fixture(scope="module")
def prometheus(daemon: Daemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    prometheus = Prometheus(tmp_path_factory.mktemp("prometheus"), daemon.flags[1])
    yield prometheus
    prometheus.close()


def test_the_settings_of_the_page_and_the_alerts_are_valid(prometheus: Prometheus) -> None:
    done = subprocess.run(
        ["promtool", "check", "config", prometheus.settings], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("panel", EXPRESSIONS)
def test_each_panel_shows_something(prometheus: Prometheus, panel: str) -> None:
    expression = EXPRESSIONS[panel]
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    until(lambda: prometheus.get("query", query=expression)["result"], f"there is a value of {expression}")


def test_each_alert_can_be_evaluated_and_a_daemon_that_ended_is_reported(
    prometheus: Prometheus, daemon: Daemon
) -> None:
    def rules() -> list[dict[str, Any]]:
        found = [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]]
        return found if found and all(each["health"] != "unknown" for each in found) else []

    assert [each for each in until(rules, "each is evaluated") if each["health"] != "ok"] == []
    until(lambda: "MemorydDown" not in prometheus.alerts(), "the daemon is seen")
    daemon.kill()
    until(lambda: "MemorydDown" in prometheus.alerts(), "its end is seen")
