"""The choice of the calls that are traced, by the standard variables of OpenTelemetry."""

import random
from collections.abc import Mapping

import msgspec

_TRACE_BITS = 64


class Sampling(msgspec.Struct, frozen=True):
    """The share of calls that are traced, and whether a call with a parent is traced exactly if the parent is.

    OpenTelemetry's own samplers build a span first, which costs as much as a small call.
    """

    rate: float = 1.0
    follows_parent: bool = True

    def takes(self, trace_id: int | None, *, is_parent_sampled: bool) -> bool:
        """Return whether to trace a call. ``trace_id`` is that of its parent; None without one."""
        if trace_id is None:
            return random.random() < self.rate  # noqa: S311 - nothing depends on its being secret
        if self.follows_parent:
            return is_parent_sampled
        return trace_id % (1 << _TRACE_BITS) < round(self.rate * (1 << _TRACE_BITS))


def sampling_of(environ: Mapping[str, str]) -> Sampling:
    """Return what OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG say. Raises ValueError."""
    name = environ.get("OTEL_TRACES_SAMPLER", "").strip().lower() or "parentbased_always_on"
    kind = name.removeprefix("parentbased_")
    rates = {"always_on": 1.0, "always_off": 0.0}
    if kind == "traceidratio":
        rates[kind] = float(environ.get("OTEL_TRACES_SAMPLER_ARG", "") or 1.0)
    if not 0.0 <= rates.get(kind, -1.0) <= 1.0:
        raise ValueError(f"OTEL_TRACES_SAMPLER: {name} is not a sampler, or its argument is not from 0 to 1")
    return Sampling(rates[kind], follows_parent=kind != name)
