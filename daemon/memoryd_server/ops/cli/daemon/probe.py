"""The daemon whose health is asked: its address and TLS settings, as a client or as the daemon itself has them."""

import ipaddress
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from memoryd_server.ops.cli.client.connection import Connection
from memoryd_server.ops.error import OperatorError

if TYPE_CHECKING:
    import grpc

    from memoryd_server.ops.config.address import TcpAddress
    from memoryd_server.ops.config.settings import Settings

_DAEMONS_OWN = ("MEMORYD_LISTEN", "MEMORYD_CONFIG")
"""The variables that say where the daemon of this environment listens."""


class Probe(msgspec.Struct, frozen=True):
    """The target of the call, and its credentials; without these, it is not encrypted."""

    target: str
    credentials: Any = None
    options: tuple[tuple[str, Any], ...] = ()

    def open_channel(self) -> "grpc.Channel":
        """Return a channel, which connects with its first call, and again soon after it has failed."""
        import grpc

        backoff = tuple((f"grpc.{name}_reconnect_backoff_ms", 100) for name in ("initial", "min", "max"))
        options = (*self.options, *backoff)
        if self.credentials is None:
            return grpc.insecure_channel(self.target, options)
        return grpc.secure_channel(self.target, self.credentials, options)


def probe_of(connection: Connection, pid: int | None) -> Probe | None:
    """Return the probe of the daemon of process ``pid``; None if the process runs another command.

    Without ``pid``, it is the daemon of the connection's address, or else that of this environment. Raises
    OperatorError if there is no such process, or if its daemon cannot be asked.
    """
    from memoryd.protocol.target import Tls, credentials_of, target_of

    tls = connection.settings["tls"]
    options = (("grpc.ssl_target_name_override", tls.server_name),) if isinstance(tls, Tls) and tls.server_name else ()
    as_client = Probe(target_of(connection.address), credentials_of(tls), options)
    if pid is not None:
        arguments = _serve_arguments(_command_line(pid))
        return None if arguments is None else _probe_of_own(arguments, as_client)
    if connection.address is None and any(map(os.environ.get, _DAEMONS_OWN)):
        return _probe_of_own((), as_client)
    return as_client


def _command_line(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="surrogateescape").split("\0")[:-1]
    except FileNotFoundError:
        raise OperatorError(f"there is no process {pid}") from None


def _serve_arguments(command_line: Sequence[str]) -> list[str] | None:
    """Return what follows ``memoryd serve``, also behind an interpreter or an init; None for another command."""
    start = next((number for number, word in enumerate(command_line) if Path(word).name == "memoryd"), 0) + 1
    return list(command_line[start + 1 :]) if command_line[start : start + 1] == ["serve"] else None


def _probe_of_own(arguments: Sequence[str], as_client: Probe) -> Probe:
    """Return the probe of the daemon that ``serve`` with these arguments is, in this environment."""
    # Imported late: who gives an address needs no settings.
    from memoryd_server.ops.config.address import UnixAddress
    from memoryd_server.ops.config.option import read_settings

    settings = read_settings(arguments)
    # Unix sockets first: they need no certificates.
    address = min(settings.listening.listen, key=lambda each: not isinstance(each, UnixAddress))
    if isinstance(address, UnixAddress):
        return Probe(str(address))
    if not address.port:
        raise OperatorError("the daemon listens on any free port: give --address")
    return _probe_of_port(_reached(address), settings, as_client)


def _probe_of_port(target: str, settings: "Settings", as_client: Probe) -> Probe:
    certificate = settings.tls.cert_file
    if certificate is None or as_client.credentials is not None:
        return msgspec.structs.replace(as_client, target=target)
    if settings.tls.client_ca_file is not None:
        raise OperatorError(
            "the daemon requires client certificates: set MEMORYD_CA_FILE, MEMORYD_CERT_FILE and MEMORYD_KEY_FILE, "
            "or let it also listen on a unix socket"
        )
    # The daemon is on this machine, and so is its certificate: that one, and no other, is trusted.
    import grpc

    content = certificate.read_bytes()
    name = (("grpc.ssl_target_name_override", _name_in(content)),)
    return Probe(target, grpc.ssl_channel_credentials(content), name)


def _reached(address: "TcpAddress") -> str:
    """Return where this machine reaches an address, which may stand for all of its addresses."""
    try:
        host = ipaddress.ip_address(address.host)
    except ValueError:
        return str(address)
    if not host.is_unspecified:
        return str(address)
    return f"{'127.0.0.1' if host.version == 4 else '[::1]'}:{address.port}"


def _name_in(certificate: bytes) -> str:
    """Return a name that the certificate is for. Raises OperatorError if it cannot be read or names none."""
    from cryptography import x509

    try:
        loaded = x509.load_pem_x509_certificate(certificate)
    except ValueError as error:
        raise OperatorError(f"tls_cert_file: is not a certificate in PEM: {error}") from error
    found: list[str] = []
    for extension in loaded.extensions:
        if isinstance(names := extension.value, x509.SubjectAlternativeName):
            found = [*names.get_values_for_type(x509.DNSName), *map(str, names.get_values_for_type(x509.IPAddress))]
    # gRPC, too, reads the subject of a certificate without other names.
    found += [str(each.value) for each in loaded.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)]
    if not found:
        raise OperatorError("the daemon's certificate has no name: give --ca-file and --server-name")
    return found[0].replace("*", "health")
