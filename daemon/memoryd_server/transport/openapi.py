"""The contract as OpenAPI, for tools that call by JSON over HTTP. Like reflection, it is for everybody."""

from pathlib import Path

from memoryd_server.transport.page import Page, tag_of

OPENAPI_PATH = "/openapi.json"

_FILE = Path(__file__).with_name("openapi.json")


def openapi_page() -> Page:
    """Return the page of openapi.json, which `scripts/generate` makes of the protos."""
    body = _FILE.read_bytes()
    # Asked for each time: a daemon of another version has another one.
    headers = [("content-type", "application/json"), tag_of(body), ("cache-control", "no-cache")]
    return Page(OPENAPI_PATH, 200, headers, body)
