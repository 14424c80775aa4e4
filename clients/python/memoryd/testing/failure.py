"""The error of a daemon for tests."""


class DaemonFailed(Exception):  # noqa: N818 - named for what it is, as the errors of the client
    """The daemon did not start. The message says why, and has what it logged."""
