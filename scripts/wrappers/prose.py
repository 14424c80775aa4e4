"""Comments of the protos, in the words of a language."""

import re
from collections.abc import Callable

import grpc

from memoryd.protocol.status import ERROR_BY_CODE, ERROR_BY_REASON

_BY_CODE = {code.name: kind.__name__ for code, kind in ERROR_BY_CODE.items()}
_BY_REASON = {reason: kind.__name__ for reason, kind in ERROR_BY_REASON.items()}
_CODES = "|".join(sorted((code.name for code in grpc.StatusCode), key=len, reverse=True))
_ERROR = re.compile(rf"\b(?:{_CODES})\b(?: \((ERROR_REASON_[A-Z_]+)(?:[,;] )?)?|\bERROR_REASON_[A-Z_]+")


class Prose:
    """Says what a comment says, with names as a client's user knows them."""

    def __init__(
        self,
        field: Callable[[str], str],
        enum_value: Callable[[str, str], str],
        methods: dict[str, str],
        enums: dict[str, str],
        fields: set[str],
        error: Callable[[str], str] = str,
    ) -> None:
        """``enums`` has the enum of each prefix, such as MEMORY_TYPE; ``methods`` the wrapper of each method.

        ``error`` returns what the language calls an error, such as RecordNotFound.
        """
        self._fields, self._error = fields, error
        self._field, self._enum_value = field, enum_value
        self._methods, self._enums = methods, enums
        self._method = re.compile(r"\b(" + "|".join(sorted(methods, key=len, reverse=True)) + r")\b")
        prefixes = "|".join(sorted(enums, key=len, reverse=True))
        self._value = re.compile(rf"\b({prefixes})_([A-Z0-9_]+)\b")

    def say(self, comment: str) -> str:
        """Return the comment with errors by their names, and fields, enums and methods as the language has them."""
        text = self._errors(comment)
        text = self._value.sub(lambda found: self._enum_value(self._enums[found[1]], found[2]), text)
        text = self._method.sub(lambda found: self._methods[found[1]], text)
        # What is quoted, such as the kind of a record that was not found, is a value and not a field.
        return re.sub(r"(?<![`\"\w/.])[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b", lambda found: self._named(found[0]), text)

    def method(self, name: str, comment: str) -> str:
        """Return the comment of a method, which begins with its name, as one that begins with the verb."""
        text = comment.removeprefix(name).strip()
        return self.say(text[:1].upper() + text[1:])

    def _named(self, word: str) -> str:
        # Other words with underscores, such as the names of limits, are what the server calls them.
        return self._field(word) if word in self._fields else word

    def _errors(self, text: str) -> str:
        parts, end = [], 0
        for found in _ERROR.finditer(text):
            parts.append(text[end : found.start()])
            end = found.end()
            word = found[0]
            if found[1]:
                parts.append(self._error(_BY_REASON[found[1]]))
                # "(ERROR_REASON_X, kind "note")" keeps what is behind the reason; "(ERROR_REASON_X)" leaves nothing.
                if text[end] == ")":
                    end += 1
                else:
                    parts.append(" (")
            else:
                known = _BY_REASON.get(word) or _BY_CODE.get(word)
                parts.append(self._error(known) if known else word)
        return "".join([*parts, text[end:]])
