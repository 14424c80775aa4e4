"""Protection of a prompt's lines against line breaks in the texts of others."""


def one_line(text: str) -> str:
    """Return the text with spaces for its line breaks, so that none of it can pass for another line of the prompt."""
    return " ".join(text.splitlines())
