"""The checks that take hours, which scripts/nightly runs: each is a row of docs/reliability.md."""
