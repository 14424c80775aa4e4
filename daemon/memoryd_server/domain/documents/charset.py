"""Names of character encodings."""

import re
from encodings.aliases import aliases

_NO_CHARSETS = {"base64_codec", "bz2_codec", "hex_codec", "mbcs", "quopri_codec", "rot_13", "uu_codec", "zlib_codec"}
_CODECS = {**aliases, **{codec: codec for codec in aliases.values()}, "windows_31j": "cp932"}
_REGISTERED = (
    (re.compile(r"cp(125\d)"), r"windows-\1"),
    (re.compile(r"cp932"), "windows-31j"),
    (re.compile(r"latin_1"), "iso-8859-1"),
    (re.compile(r"iso8859_(\d+)"), r"iso-8859-\1"),
    (re.compile(r"utf_(\d+)_?([bl]e)?"), r"utf-\1\2"),
    (re.compile(r"(euc|koi8)_(\w+)"), r"\1-\2"),
)


def codec_of(charset: str) -> str:
    """Return the codec of an encoding by its name in the registry of IANA or an alias; empty if it is not known."""
    # Not codecs.lookup, which remembers every name that anybody asks for.
    codec = _CODECS.get(re.sub(r"[\s.-]+", "_", charset.strip().lower()), "")
    return "" if codec in _NO_CHARSETS else codec


def charset_of(codec: str) -> str:
    """Return the name of a codec's encoding in the registry of IANA, in lower case; if it has none, the codec's."""
    for pattern, name in _REGISTERED:
        if found := pattern.fullmatch(codec):
            return found.expand(name)
    return codec
