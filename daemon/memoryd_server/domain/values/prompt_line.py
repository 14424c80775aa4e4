"""Texts of others on the lines of a prompt."""


def one_line(text: str) -> str:
    """The text with spaces for its line breaks, so that nothing in it can pass for another line of the prompt."""
    return " ".join(text.splitlines())
