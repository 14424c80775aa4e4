from datetime import UTC, datetime
from pathlib import Path

import pyrage
import pytest

from memoryd_server.stores.snapshot_key import SnapshotKey, new_identity_file


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


def test_a_new_identity_file_has_a_key_that_encrypts_and_its_public_part(tmp_path: Path) -> None:
    text, public = new_identity_file(datetime(2026, 11, 23, 12, 0, 1, tzinfo=UTC))
    created, shown, secret = text.splitlines()
    assert created == "# created: 2026-11-23T12:00:01Z"
    assert shown == f"# public key: {public}"
    assert secret.startswith("AGE-SECRET-KEY-1")
    (identity,) = SnapshotKey(text).identities
    assert str(identity.to_public()) == public
    assert new_identity_file(datetime.now(UTC))[0].splitlines()[2] != secret
