"""The credentials by which a transport encrypts its connections."""

import msgspec


class TlsCredentials(msgspec.Struct, frozen=True):
    """The server's certificate chain and private key, and the authorities that sign client certificates, all in PEM.

    Without ``client_authorities``, clients need no certificate.
    """

    certificate: bytes
    key: bytes
    client_authorities: bytes | None
