"""Errors that only the operator can fix."""


class OperatorError(Exception):
    """A problem with the machine, a file or a setting, which ends the command.

    ``message`` is one line that names what to change. ``reason`` is the reason of ``error_reason.proto`` that a client
    would get for the same problem; empty if there is none.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason


class SettingError(OperatorError):
    """A setting has an invalid value, or one that contradicts another setting."""

    def __init__(self, setting: str, problem: str) -> None:
        super().__init__(f"{setting}: {problem}")
        self.setting = setting
