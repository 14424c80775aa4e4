"""The sentences of the store port, one class for each of its parts. ``testing.store_suite`` joins them into suites."""
