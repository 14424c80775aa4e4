"""What an operator is told of a server; apart, since a daemon without Redis knows it and loads no client of Redis."""


class UnfitServer(Exception):  # noqa: N818 - told to the operator, whose error it is
    """The server cannot keep what was asked for; the message says what to do."""
