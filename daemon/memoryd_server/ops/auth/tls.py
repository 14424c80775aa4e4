"""The TLS credentials of the server, from files."""

import ssl
from pathlib import Path

from memoryd_server.ops.config.settings import Tls
from memoryd_server.ops.error import OperatorError
from memoryd_server.transport.tls import TlsCredentials


def server_credentials(tls: Tls) -> TlsCredentials | None:
    """Return the credentials for TCP addresses; None if the settings name no certificate.

    With ``client_ca_file``, a client needs a certificate of one of its authorities to connect. Raises OperatorError for
    a file that is unreadable, not PEM, or does not match the key: gRPC would report it only at the first connection.
    """
    if tls.cert_file is None or tls.key_file is None:
        return None
    certificate, key = _read("tls_cert_file", tls.cert_file), _read("tls_key_file", tls.key_file)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # The empty password prevents OpenSSL from prompting for one at the terminal.
        context.load_cert_chain(tls.cert_file, tls.key_file, password="")
    except (ssl.SSLError, ValueError) as error:
        message = f"tls_cert_file: {tls.cert_file} and {tls.key_file} are not a certificate and its private key in PEM"
        raise OperatorError(message) from error
    authorities = None
    if tls.client_ca_file is not None:
        authorities = _read("tls_client_ca_file", tls.client_ca_file)
        try:
            context.load_verify_locations(tls.client_ca_file)
        except ssl.SSLError as error:
            message = f"tls_client_ca_file: {tls.client_ca_file} has no certificate in PEM"
            raise OperatorError(message) from error
    return TlsCredentials(certificate, key, authorities)


def _read(setting: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise OperatorError(f"{setting}: cannot read {path}: {error.strerror}") from error
