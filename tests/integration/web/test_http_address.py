"""The address of HTTP: beside the front end's, encrypted as the others, and at the end of the daemon."""

import ssl
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from tests.daemon import Daemon, HttpDaemon
from tests.integration.certificate import Authority
from tests.integration.web.conftest import needs_front
from tests.port import free_address
from tests.wait import WAIT_S_MAX

HEALTH = "/grpc.health.v1.Health/Check"
INFO = "/memoryd.v1.ServerService/GetServerInfo"
WATCH = "/memoryd.v1.EventService/WatchEvents"


@needs_front
def test_the_front_end_serves_it_as_one_more_address(door: str, tmp_path: Path) -> None:
    if door == "python":
        pytest.skip("the test is about the front end")
    more = free_address()
    with closing(Daemon(tmp_path, "--transport", "front", "--http", more, "--embedder", "none")) as daemon:
        daemon.start()
        for address in (daemon.address, more):
            assert httpx.post(f"http://{address}{HEALTH}", json={}, trust_env=False).json() == {"status": "SERVING"}
        assert f"http={more}" in daemon.log


def test_the_daemon_in_python_is_encrypted_and_knows_clients_by_their_certificates(door: str, tmp_path: Path) -> None:
    if door == "front":
        pytest.skip("the test is about the server in Python")
    authority = Authority(tmp_path / "authority")
    server, key = authority.issue("server", "IP:127.0.0.1")
    client = authority.issue("agent-1", "DNS:agent-1")
    flags = ("--tls-cert-file", str(server), "--tls-key-file", str(key), "--tls-client-ca-file")
    with closing(HttpDaemon(tmp_path, *flags, str(authority.certificate), "--embedder", "none")) as daemon:
        daemon.start()
        context = ssl.create_default_context(cafile=authority.certificate)
        with pytest.raises(httpx.TransportError):
            httpx.post(f"https://{daemon.address}{HEALTH}", json={}, verify=context, trust_env=False)
        context.load_cert_chain(*client)
        answer = httpx.post(f"https://{daemon.address}{INFO}", json={}, verify=context, trust_env=False)
        assert answer.status_code == httpx.codes.OK, answer.text


def test_a_stream_ends_with_an_error_when_the_daemon_does(door: str, tmp_path: Path) -> None:
    if door == "front":
        pytest.skip("the test is about the server in Python")
    with closing(HttpDaemon(tmp_path, "--embedder", "none")) as daemon:
        daemon.start()
        events, query = {"accept": "text/event-stream"}, {"message": "{}"}
        with (
            httpx.Client(base_url=f"http://{daemon.address}", timeout=WAIT_S_MAX, trust_env=False) as web,
            web.stream("GET", WATCH, params=query, headers=events) as answer,
        ):
            lines = answer.iter_lines()
            assert next(lines).startswith("id: ")
            assert daemon.stop() == 0
            assert "event: error" in list(lines)
        assert "Traceback" not in daemon.log
