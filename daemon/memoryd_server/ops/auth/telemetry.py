"""The metrics of authentication."""

from memoryd_server.ports.instrument import Counter

_REASONS = (
    *(
        "missing",
        "scheme",
        "certificate",
        "unknown",
        "malformed",
        "issuer",
        "algorithm",
        "key",
        "signature",
        "audience",
    ),
    *("claims", "not_yet_valid", "expired", "rule"),
)


class AuthenticationTelemetry:
    """Calls that were not authenticated, by the reason, and failed readings of issuers' keys."""

    def __init__(self) -> None:
        name, description = "agents.memory.server.authentication_failed_total", "Calls that were not authenticated"
        self._failed = {reason: Counter(name, description, reason=reason) for reason in _REASONS}
        self.keys_failed = Counter("agents.memory.server.issuer_keys_failed_total", "Failed readings of issuers' keys")

    def fail(self, reason: str) -> None:
        """Count a call that was not authenticated."""
        self._failed[reason].add()

    def instruments(self) -> tuple[Counter, ...]:
        """Return the metrics."""
        return (*self._failed.values(), self.keys_failed)
