"""Connections to a store that requires TLS and a user."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.integration.shared.pair import flags_of, new_prefix
from tests.integration.wire import Wire
from tests.valkey.relay import TlsRelay
from tests.valkey.server import ValkeyServer

USER = ("memory", "p@ss:word/")


def test_tls_user_and_password_are_taken_from_the_url(
    tmp_path: Path, launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire]
) -> None:
    with ValkeyServer(tmp_path / "server", credentials=USER) as server:
        with TlsRelay(server, tmp_path / "tls", asks_for_certificate=True) as relay:
            certificate, key = relay.issue("daemon")
            options = f"ssl_ca_certs={relay.authority}&ssl_certfile={certificate}&ssl_keyfile={key}"
            daemon = launch_process(*flags_of(f"{relay.url}?{options}", new_prefix()))
            agent = connect(daemon).agent()
            agent.set("k")
            assert agent.value("k") == 1
            daemon.stop()
        assert "word/" not in daemon.log
        assert "word%2F" not in daemon.log


def test_a_daemon_whose_password_is_refused_logs_that_and_ends(tmp_path: Path) -> None:
    with ValkeyServer(tmp_path / "server", credentials=USER) as server:
        daemon = Daemon(tmp_path, *flags_of(f"redis://memory:wrong-secret@{server.address}", new_prefix()))
        with pytest.raises(AssertionError, match="daemon ended with"):
            daemon.start()
        assert "store refused memoryd's user" in daemon.log
        assert "wrong-secret" not in daemon.log
