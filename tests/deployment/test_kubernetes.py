"""The chart and the manifests: linted and rendered by helm, and held against the schemas of Kubernetes."""

import re
from collections.abc import Iterator
from typing import Any

import kubernetes_validate
import pytest
import yaml
from tests.deployment.chart import CHART, DEPLOY, MANIFESTS, SECURE, manifest, rendered, tool
from tests.deployment.program import lacks

VERSION = "1.37"
SHARED = MANIFESTS["shared"][1]
FILES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
OF_PAGE = re.compile(r"^```yaml\n(apiVersion: .*?)^```", re.DOTALL | re.MULTILINE)
"""A manifest that a page shows."""

with_helm = pytest.mark.skipif(lacks("go"), reason="Go, which builds helm, is not installed")
slow = [with_helm, pytest.mark.whole, pytest.mark.timeout(1800)]


def objects_of(text: str) -> list[dict[str, Any]]:
    return [found for found in yaml.safe_load_all(text) if found]


def templates_of(objects: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    specs = (each.get("spec", {}) for each in objects)
    # That of a CronJob is the one of its jobs.
    return (each["template"] for spec in specs if "template" in (each := spec.get("jobTemplate", {}).get("spec", spec)))


def pods_of(objects: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (template["spec"] for template in templates_of(objects))


def check(objects: list[dict[str, Any]]) -> None:
    """Raise an error for what is not in the schemas, or not allowed in a namespace of the level restricted."""
    assert objects
    for each in objects:
        kubernetes_validate.validate(each, VERSION, strict=True)
    for pod in pods_of(objects):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in (*pod["containers"], *pod.get("initContainers", ())):
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["resources"]["limits"]["memory"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_manifest_is_valid_and_restricted(path: Any) -> None:
    check(objects_of(path.read_text()))


def manifests_of_pages() -> dict[str, str]:
    """Return the manifests in the pages that have some."""
    pages = {page.name: OF_PAGE.findall(page.read_text("utf-8")) for page in DEPLOY.parent.glob("docs/**/*.md")}
    return {name: "---\n".join(found) for name, found in pages.items() if found}


@pytest.mark.parametrize("page", manifests_of_pages())
def test_a_manifest_of_a_page_is_valid_and_restricted(page: str) -> None:
    check(objects_of(manifests_of_pages()[page]))


def test_the_backup_of_a_cluster_may_connect_to_the_daemon_of_the_chart() -> None:
    (backup,) = templates_of(objects_of(manifests_of_pages()["backup.md"]))
    (container,) = backup["spec"]["containers"]
    daemon = {each["kind"]: each for each in objects_of((DEPLOY / "kubernetes" / "embedded.yaml").read_text())}
    (client,) = daemon["NetworkPolicy"]["spec"]["ingress"][0]["from"]
    assert client["podSelector"]["matchLabels"].items() <= backup["metadata"]["labels"].items()
    service = daemon["Service"]
    address = f"{service['metadata']['name']}:{service['spec']['ports'][0]['port']}"
    assert {"name": "MEMORYD_ADDRESS", "value": address} in container["env"]


def test_the_sidecar_shares_its_socket_by_the_group_of_the_pod() -> None:
    (pod,) = pods_of(objects_of((DEPLOY / "kubernetes" / "sidecar.yaml").read_text()))
    (daemon,), (agent,) = pod["initContainers"], pod["containers"]
    environment = {each["name"]: each["value"] for each in daemon["env"]}
    assert environment["MEMORYD_SOCKET_GROUP"] == str(pod["securityContext"]["fsGroup"])
    assert {"name": "MEMORYD_ADDRESS", "value": environment["MEMORYD_LISTEN"]} in agent["env"]
    assert daemon["restartPolicy"] == "Always"


class TestChart:
    pytestmark = slow

    def test_helm_finds_nothing(self) -> None:
        values = [argument for value in SHARED for argument in ("--set", value)]
        done = tool("helm", "lint", "--strict", CHART, *values)
        assert done.returncode == 0, done.stdout + done.stderr

    @pytest.mark.parametrize("name", MANIFESTS)
    def test_the_manifests_are_as_it_is_rendered(self, name: str) -> None:
        assert (DEPLOY / "kubernetes" / f"{name}.yaml").read_text() == manifest(name)

    @pytest.mark.parametrize(
        "values",
        [
            ("insecure=true",),
            ("insecure=true", "mode=shared", "store.secretName=s", "metrics.enabled=true"),
            (*SHARED, "metrics.enabled=true", "settings.snapshot_interval=1h", "tolerations[0].operator=Exists"),
            ("tls.secretName=t", "tls.clientCertificates=true", "persistence.storageClass=fast"),
            (*SECURE, f"image.digest=sha256:{'0' * 64}", "networkPolicy.enabled=false", "image.pullSecrets[0].name=p"),
        ],
    )
    def test_it_is_valid_and_restricted_with_other_values(self, values: tuple[str, ...]) -> None:
        check(objects_of(rendered(*values)))

    def test_kubernetes_asks_by_grpc_where_there_is_no_tls(self) -> None:
        (pod,) = pods_of(objects_of(rendered("insecure=true")))
        assert pod["containers"][0]["readinessProbe"]["grpc"] == {"port": 7600}
        (pod,) = pods_of(objects_of(rendered(*SECURE)))
        assert pod["containers"][0]["readinessProbe"]["exec"] == {"command": ["memoryd", "health"]}

    @pytest.mark.parametrize("empty", ["[]", "null"])
    def test_nobody_may_connect_where_no_client_is_named(self, empty: str) -> None:
        sources = (f"networkPolicy.clients={empty}", f"networkPolicy.monitoring={empty}")
        objects = objects_of(rendered("insecure=true", "metrics.enabled=true", json=sources))
        (policy,) = (each for each in objects if each["kind"] == "NetworkPolicy")
        check([policy])
        # A rule without sources would admit all of them.
        assert policy["spec"]["ingress"] == []
        assert "Ingress" in policy["spec"]["policyTypes"]

    @pytest.mark.parametrize(
        ("setting", "value"),
        [
            ("journal_rows_max=1000000", "1000000"),
            ("memory_access_share=0.25", "0.25"),
            ("fragment_consolidate=true", "true"),
            ('snapshot_interval="1h"', "1h"),
        ],
    )
    def test_a_setting_is_written_as_it_was_given(self, setting: str, value: str) -> None:
        name = setting.partition("=")[0].upper()
        (pod,) = pods_of(objects_of(rendered("insecure=true", json=[f"settings.{setting}"])))
        assert {"name": f"MEMORYD_{name}", "value": value} in pod["containers"][0]["env"]

    def test_the_grace_period_is_longer_than_the_time_to_drain(self) -> None:
        (pod,) = pods_of(objects_of(rendered(*SECURE, "drainTimeoutSeconds=100")))
        assert {"name": "MEMORYD_DRAIN_TIMEOUT", "value": "100s"} in pod["containers"][0]["env"]
        assert pod["terminationGracePeriodSeconds"] > 100

    @pytest.mark.parametrize(
        ("values", "problem"),
        [
            ((), "tls.secretName"),
            (("tls.secretName=t",), "tokens.secretName"),
            (("mode=shared", *SECURE), "store.secretName"),
            (("insecure=true", "mode=both"), "mode"),
            (("insecure=true", "repplicas=2"), "repplicas"),
        ],
    )
    def test_wrong_values_are_refused(self, values: tuple[str, ...], problem: str) -> None:
        with pytest.raises(AssertionError, match=problem):
            rendered(*values)


@with_helm
@pytest.mark.whole
@pytest.mark.timeout(1800)
def test_docker_compose_reads_the_compose_file() -> None:
    done = tool("github.com/compose-spec/compose-go/v2/cmd", DEPLOY / "compose.yaml")
    assert done.returncode == 0, done.stderr
    services = yaml.safe_load(done.stdout)["services"]
    assert services["agent"]["depends_on"]["memoryd"]["condition"] == "service_healthy"
    assert services["memoryd"]["read_only"] is services["agent"]["read_only"] is True
