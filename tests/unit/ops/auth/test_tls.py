import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from tests.wait import WAIT_S_MAX

from memoryd_server.ops.auth.tls import server_credentials
from memoryd_server.ops.config.settings import Tls
from memoryd_server.ops.error import OperatorError
from memoryd_server.transport.grpc.server import GrpcServer

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl, which makes certificates, is missing")


def certificate(directory: Path, name: str) -> tuple[Path, Path]:
    """A self-signed certificate, which is its own authority, and its key."""
    cert, key = directory / f"{name}.crt", directory / f"{name}.key"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-days", "2"),
            *("-keyout", str(key), "-out", str(cert)),
        ],
        check=True,
        capture_output=True,
    )
    return cert, key


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    directory = tmp_path_factory.mktemp("tls")
    return {name: certificate(directory, name) for name in ("localhost", "agent.example")}


@pytest.fixture
async def port(pairs: dict[str, tuple[Path, Path]], request: pytest.FixtureRequest) -> AsyncIterator[int]:
    cert, key = pairs["localhost"]
    tls = Tls(cert_file=cert, key_file=key, client_ca_file=pairs["agent.example"][0] if request.param else None)
    server = GrpcServer({})
    port = server.listen("localhost:0", server_credentials(tls))
    await server.start()
    yield port
    await server.stop()


async def is_let_in(port: int, pairs: dict[str, tuple[Path, Path]], client: str | None) -> bool:
    root = pairs["localhost"][0].read_bytes()
    cert, key = (path.read_bytes() for path in pairs[client]) if client else (None, None)
    credentials = grpc.ssl_channel_credentials(root, key, cert)
    async with grpc.aio.secure_channel(f"localhost:{port}", credentials) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await channel.unary_unary("/none/None")(b"", timeout=WAIT_S_MAX)
    assert ended.value.code() in {grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.UNAVAILABLE}
    # Only an authenticated caller learns that the method does not exist.
    return ended.value.code() is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize("port", [False], indirect=True)
async def test_a_client_without_certificate_is_let_in_unless_one_is_demanded(
    port: int, pairs: dict[str, tuple[Path, Path]]
) -> None:
    assert await is_let_in(port, pairs, None)


@pytest.mark.parametrize("port", [True], indirect=True)
@pytest.mark.parametrize(("client", "expected"), [("agent.example", True), ("localhost", False), (None, False)])
async def test_only_clients_with_a_certificate_of_the_authority_are_let_in(
    port: int, pairs: dict[str, tuple[Path, Path]], client: str | None, expected: bool
) -> None:
    assert await is_let_in(port, pairs, client) is expected


def test_without_a_certificate_there_are_no_credentials() -> None:
    assert server_credentials(Tls()) is None


def test_a_missing_file_is_named(tmp_path: Path, pairs: dict[str, tuple[Path, Path]]) -> None:
    with pytest.raises(OperatorError, match=r"tls_key_file: cannot read .*none\.key"):
        server_credentials(Tls(cert_file=pairs["localhost"][0], key_file=tmp_path / "none.key"))


def test_the_key_of_another_certificate_is_refused(pairs: dict[str, tuple[Path, Path]]) -> None:
    with pytest.raises(OperatorError, match="are not a certificate and its private key"):
        server_credentials(Tls(cert_file=pairs["localhost"][0], key_file=pairs["agent.example"][1]))


def test_authorities_that_are_none_are_refused(tmp_path: Path, pairs: dict[str, tuple[Path, Path]]) -> None:
    cert, key = pairs["localhost"]
    empty = tmp_path / "ca.pem"
    empty.write_text("nothing here")
    with pytest.raises(OperatorError, match=r"tls_client_ca_file: .* has no certificate"):
        server_credentials(Tls(cert_file=cert, key_file=key, client_ca_file=empty))
