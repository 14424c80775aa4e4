"""The conformance program of the Python client: see tests/clients/conformance/README.md."""
