"""The ways to a store: with TLS and a user."""

from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.integration.shared.pair import flags_of, sharing, use
from tests.valkey.relay import TlsRelay
from tests.valkey.server import ValkeyServer

USER = ("memory", "p@ss:word/")


def test_tls_user_and_password_come_with_the_url(tmp_path: Path) -> None:
    with ValkeyServer(tmp_path / "server", credentials=USER) as server:
        with TlsRelay(server, tmp_path / "tls", asks_for_certificate=True) as relay:
            certificate, key = relay.issue("daemon")
            options = f"ssl_ca_certs={relay.authority}&ssl_certfile={certificate}&ssl_keyfile={key}"
            with sharing(tmp_path, f"{relay.url}?{options}") as pair:
                use(pair)
                logs = [daemon.log for daemon in pair.daemons]
        assert not any("word/" in log or "word%2F" in log for log in logs)


@pytest.mark.parametrize("userinfo", ["", "memory:wrong-secret@"])
def test_a_daemon_that_the_server_does_not_let_in_says_so_and_ends(tmp_path: Path, userinfo: str) -> None:
    with ValkeyServer(tmp_path / "server", credentials=USER) as server:
        daemon = Daemon(tmp_path, *flags_of(f"redis://{userinfo}{server.address}"))
        with pytest.raises(AssertionError, match="daemon ended with"):
            daemon.start()
        assert "refuses memoryd's user" in daemon.log
        assert "wrong-secret" not in daemon.log


def test_a_certificate_that_nobody_vouches_for_is_not_accepted(tmp_path: Path) -> None:
    with ValkeyServer(tmp_path / "server") as server, TlsRelay(server, tmp_path / "tls") as relay:
        daemon = Daemon(tmp_path, *flags_of(relay.url))
        with pytest.raises(AssertionError, match="daemon ended with"):
            daemon.start()
