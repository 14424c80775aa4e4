from pathlib import Path

import pyrage
import pytest

from memoryd_server.stores.snapshot_key import SnapshotKey


def test_a_key_file_of_age_keygen_is_read(tmp_path: Path) -> None:
    new, old = pyrage.x25519.Identity.generate(), pyrage.x25519.Identity.generate()
    path = tmp_path / "key.txt"
    path.write_text(f"# created: 2026-11-21T22:20:06Z\n# public key: {new.to_public()}\n{new}\n\n  {old}\n")

    assert [str(identity) for identity in SnapshotKey.load(path).identities] == [str(new), str(old)]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "no age identity"),
        (b"# nothing\n", "no age identity"),
        (b"# a key\nAGE-SECRET-KEY-1SECRET\n", "line 2 is not an age identity"),
        (b"\xff\xfe", "is not ASCII text"),
    ],
)
def test_a_file_without_a_key_is_refused_without_quoting_its_content(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "key.txt"
    path.write_bytes(content)

    with pytest.raises(ValueError, match=what) as caught:
        SnapshotKey.load(path)
    assert "key.txt" in str(caught.value)
    assert "SECRET-KEY-1SECRET" not in str(caught.value)
