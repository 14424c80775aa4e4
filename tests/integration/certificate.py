"""Certificates for tests, made with the openssl command."""

import subprocess
from pathlib import Path

CONFIGURATION = """[req]
distinguished_name = name
prompt = no
[name]
CN = {common_name}
[extensions]
subjectAltName = {alternative_names}
basicConstraints = critical, CA:{is_authority}
keyUsage = critical, {key_usage}
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
"""
"""Python requires all of these extensions since version 3.13."""


class Authority:
    """A certificate authority, whose files are all in one directory."""

    def __init__(self, directory: Path, name: str = "authority") -> None:
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        self.certificate = self._make(name, "DNS:authority", None)

    def issue(self, common_name: str, alternative_names: str = "DNS:client") -> tuple[Path, Path]:
        """Issue a certificate; return the paths of the certificate and its key."""
        certificate = self._make(common_name, alternative_names, self.certificate)
        return certificate, certificate.with_suffix(".key")

    def _make(self, common_name: str, alternative_names: str, issuer: Path | None) -> Path:
        certificate = self._directory / f"{common_name}.pem"
        configuration = certificate.with_suffix(".cnf")
        configuration.write_text(
            CONFIGURATION.format(
                common_name=common_name,
                alternative_names=alternative_names,
                is_authority="FALSE" if issuer else "TRUE",
                key_usage="digitalSignature" if issuer else "keyCertSign",
            )
        )
        command = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"]
        command += ["-pkeyopt", "ec_paramgen_curve:prime256v1", "-config", str(configuration)]
        command += ["-extensions", "extensions", "-keyout", str(certificate.with_suffix(".key"))]
        command += ["-out", str(certificate)]
        if issuer is not None:
            command += ["-CA", str(issuer), "-CAkey", str(issuer.with_suffix(".key"))]
        subprocess.run(command, check=True, capture_output=True)
        return certificate
