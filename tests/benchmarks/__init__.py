"""The benchmarks behind docs/performance.md, run by scripts/bench. They print figures, and no time fails them."""
