"""The tests of scripts/release and scripts/platforms."""
