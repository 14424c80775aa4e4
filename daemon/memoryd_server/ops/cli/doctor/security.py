"""Checks of certificates, keys and tokens."""

import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from memoryd_server.ops.cli.doctor.finding import Finding, ok
from memoryd_server.ops.cli.terminal.phrase import counted
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import CERTIFICATE_DAYS_MIN


def check_security(settings: Settings) -> Iterator[Finding]:
    """Yield the findings about the files that the settings name, and about what they leave open."""
    tls = settings.tls
    for check, certificate in (("TLS certificate", tls.cert_file), ("TLS client authorities", tls.client_ca_file)):
        if certificate is not None:
            yield _certificate(check, certificate)
    for check, secret in (("TLS key", tls.key_file), ("snapshot key", settings.snapshots.key_file)):
        if secret is not None:
            yield _secret(check, secret)
    if settings.security.token_file is not None:
        yield _tokens(settings.security.token_file)
    elif settings.tls.client_ca_file is None:
        yield _open_to_all() if settings.security.insecure else ok("callers", "those of this machine, without a token")
    if settings.snapshots.key_file is None:
        yield Finding("snapshot key", "warn", "snapshots are not encrypted", "see `memoryd snapshot keygen`")


def _open_to_all() -> Finding:
    found = "with --insecure, all that reach the daemon may use every agent"
    return Finding("callers", "warn", found, "set --token-file")


def _certificate(check: str, file: Path) -> Finding:
    # Imported late: most daemons have no certificate.
    from cryptography import x509

    try:
        found = x509.load_pem_x509_certificates(file.read_bytes())
    except (OSError, ValueError) as error:
        return Finding(check, "fail", f"{file} cannot be read: {error}", "name a file of certificates in PEM")
    end = min(each.not_valid_after_utc for each in found)
    days = (end - datetime.now(UTC)).days
    if days < 0:
        return Finding(check, "fail", f"{file} expired on {end:%Y-%m-%d}", "renew it: the daemon then reads it")
    described = f"{file} expires on {end:%Y-%m-%d}, in {days:,} days"
    if days < CERTIFICATE_DAYS_MIN:
        return Finding(check, "warn", described, "renew it: the daemon then reads it")
    return ok(check, described)


def _secret(check: str, file: Path) -> Finding:
    try:
        mode = file.stat().st_mode
        with file.open("rb"):
            pass
    except OSError as error:
        return Finding(check, "fail", f"{file} cannot be read: {error.strerror}", "see its owner and its mode")
    if stat.S_IMODE(mode) & (stat.S_IRWXO | stat.S_IWGRP):
        return Finding(check, "warn", f"other users can use {file}", f"chmod 600 {file}")
    return ok(check, f"{file} can be read by its owner alone")


def _tokens(file: Path) -> Finding:
    from memoryd_server.ops.auth.policy_file import read_policy

    try:
        rows = read_policy(file)
    except (OSError, OperatorError) as error:
        return Finding("tokens", "fail", str(error), "see `memoryd token`")
    count = len(rows.tokens) + len(rows.certificates)
    if rows.issuers:
        return ok("tokens", f"{file} has {counted(count, 'caller')} and {counted(len(rows.issuers), 'issuer')}")
    if not count:
        return Finding("tokens", "fail", f"{file} has no token: nobody may call", "see `memoryd token create`")
    return ok("tokens", f"{file} has {counted(count, 'caller')}")
