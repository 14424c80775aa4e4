"""The metrics of authentication."""

from memoryd_server.ports.instrument import Counter


class AuthenticationTelemetry:
    """Calls that were not authenticated, by the reason, and failed readings of keys, by the issuer."""

    def __init__(self) -> None:
        self._failed: dict[str, Counter] = {}
        self._keys_failed: dict[str, Counter] = {}

    def fail(self, reason: str) -> None:
        """Count a call that was not authenticated."""
        failed = self._failed.get(reason)
        if failed is None:
            name = "agents.memory.server.authentication_failed_total"
            failed = self._failed[reason] = Counter(
                name, "Calls that were not authenticated, by the reason", reason=reason
            )
        failed.add()

    def keys_failed(self, issuer: str) -> Counter:
        """Return the counter of failed readings of an issuer's keys."""
        failed = self._keys_failed.get(issuer)
        if failed is None:
            name = "agents.memory.server.issuer_keys_failed_total"
            failed = self._keys_failed[issuer] = Counter(name, "Failed readings of an issuer's keys", issuer=issuer)
        return failed

    def instruments(self) -> tuple[Counter, ...]:
        """Return the metrics of what has occurred, and of all issuers. Any thread may call it."""
        return (*tuple(self._failed.values()), *tuple(self._keys_failed.values()))
