"""The error that only the operator can put right."""


class OperatorError(Exception):
    """Something about the machine, a file or a setting is wrong, and the command ends.

    ``message`` is one line that names what to change; ``reason`` is upper case, like those of the API.
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason


class SettingError(OperatorError):
    """A setting has a value that is not allowed, or not together with another one."""

    def __init__(self, setting: str, problem: str) -> None:
        super().__init__(f"{setting}: {problem}", "INVALID_SETTING")
        self.setting = setting
