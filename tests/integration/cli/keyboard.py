"""A person at the keyboard, for commands that run in this process."""

import io


class Typed(io.StringIO):
    """Standard input at which a person sits."""

    def isatty(self) -> bool:
        """It is a terminal."""
        return True
