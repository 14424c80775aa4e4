"""The frames of a write-ahead log: which of them are whole, also after a damaged one.

A log is a header and frames; each frame has one page, with the checksum of all frames up to it. SQLite takes the log
to end at the first wrong checksum. But a checksum is computed from the one that the frame before has stored: so the
frames after the damage can be verified all the same, and the damaged ones are known exactly. The format is documented
at https://www.sqlite.org/fileformat2.html#walformat.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

PAGE_BYTES = 4096
HEADER_BYTES = 32
FRAME_BYTES = 24 + PAGE_BYTES
_MAGIC = 0x377F0682
_MAGIC_BIG_ENDIAN = 0x377F0683
_VERSION = 3_007_000
_HEADER = struct.Struct(">8I")
_COVERED_BYTES = 8
"""Number of a frame header's bytes that its checksum covers, in addition to the page."""
_WORD = 0xFFFFFFFF
_BITS_CORRECTED = 24
"""Number of a word's bits of which a flipped one is corrected."""

Sum = tuple[int, int]


class Frame(NamedTuple):
    """A frame: its page, and the database's size in pages if a transaction ends here, else 0.

    ``page`` is None if it is damaged. ``numbers`` are those that the page may have: one if it is whole; none if the
    number is unknown.
    """

    numbers: tuple[int, ...]
    pages_total: int
    page: bytes | None


class _Claim(NamedTuple):
    """A frame before it is known which numbers are possible.

    ``headers`` are the numbers and sizes that a damaged frame may have: that which it has, and that with which its
    stored checksum would be right for the page as it is.
    """

    headers: tuple[tuple[int, int], ...]
    page: bytes | None


class _Slot(NamedTuple):
    covered: bytes
    salts: bytes
    stored: Sum


def read_frames(log: bytes) -> list[Frame]:
    """Return the frames of a log up to the last one that is whole, the damaged ones among them included."""
    if len(log) < HEADER_BYTES + FRAME_BYTES:
        return []
    magic, *_, stored_0, stored_1 = _HEADER.unpack_from(log)
    order = ">" if magic == _MAGIC_BIG_ENDIAN else "<"
    slots = (_slot(log, start) for start in range(HEADER_BYTES, len(log) - FRAME_BYTES + 1, FRAME_BYTES))
    computed = checksum(log[: HEADER_BYTES - 8], order=order)
    is_header_whole = computed == (stored_0, stored_1)
    salts = log[16:24] if is_header_whole else _slot(log, HEADER_BYTES).salts
    seeds = [computed] if is_header_whole else [(stored_0, stored_1), computed]
    claims = _verified(slots, salts, seeds, order, is_header_whole=is_header_whole)
    while claims and claims[-1].page is None:
        claims.pop()
    return _possible(claims)


def _slot(log: bytes, start: int) -> _Slot:
    header = log[start : start + 24]
    stored_0, stored_1 = struct.unpack(">2I", header[16:])
    return _Slot(header[:_COVERED_BYTES] + log[start + 24 : start + FRAME_BYTES], header[8:16], (stored_0, stored_1))


def _verified(
    slots: Iterable[_Slot], salts: bytes, seeds: list[Sum], order: str, *, is_header_whole: bool
) -> list[_Claim]:
    """Verify each slot with what the one before has stored, or, if that is damaged, with what it should have stored."""
    claims: list[_Claim] = []
    damaged: _Slot | None = None
    damaged_seed: Sum | None = None
    is_after_whole = is_header_whole
    for slot in slots:
        sums = [checksum(slot.covered, seed, order=order) for seed in seeds]
        if slot.stored in sums and (slot.salts == salts or is_after_whole):
            if damaged is not None and sums[0] == slot.stored and damaged.salts == salts and damaged_seed is not None:
                # By what the damaged frame has stored: so its page is damaged, or its number.
                claims[-1] = _repaired(damaged, damaged_seed, order)
            elif damaged is not None and sums[0] != slot.stored:
                # By what the damaged frame should have stored: so only its checksum is damaged.
                claims[-1] = _whole(damaged.covered)
            claims.append(_whole(slot.covered))
            seeds, damaged, is_after_whole = [slot.stored], None, True
            continue
        claims.append(_Claim((), None))
        # More is known of a damaged frame only if the one before it is whole.
        damaged_seed = seeds[0] if is_after_whole else None
        seeds, damaged, is_after_whole = [slot.stored, sums[0]], slot, False
    return claims


def _repaired(slot: _Slot, seed: Sum, order: str) -> _Claim:
    """Return a damaged frame, whose stored checksum was verified, with its page corrected if that is possible."""
    corrected = _corrected(slot, checksum(slot.covered, seed, order=order), order)
    if corrected is not None:
        return _whole(corrected)
    return _Claim((_header(slot.covered), _header(_header_for(slot, seed, order))), None)


def _whole(covered: bytes) -> _Claim:
    return _Claim((_header(covered),), covered[_COVERED_BYTES:])


def _header(covered: bytes) -> tuple[int, int]:
    number, pages_total = struct.unpack_from(">2I", covered)
    return number, pages_total


def checksum(data: bytes, seed: Sum = (0, 0), *, order: str = "<") -> Sum:
    """Return the checksum of data whose length is a multiple of 8 bytes."""
    first, second = seed
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & _WORD
        second = (second + odd + first) & _WORD
    return first, second


def _corrected(slot: _Slot, found: Sum, order: str) -> bytes | None:
    """Return what the checksum covers, if exactly one flipped bit of the page explains the difference; else None.

    The checksum is linear: what a change of one word adds to it depends on the word's place alone. In a word's highest
    byte, several places have the same effect, so it is not corrected. Several flipped bits that follow a pattern may
    look like another single one: then the page is like a damaged page of the main file, whose rows have checksums.
    """
    missing = ((slot.stored[0] - found[0]) & _WORD, (slot.stored[1] - found[1]) & _WORD)
    words = list(struct.unpack(f"{order}{len(slot.covered) // 4}I", slot.covered))
    even, odd = (1, 1), (0, 1)
    explanations: list[tuple[int, int]] = []
    for place in range(len(words) - 2, 0, -2):
        for at, effect in ((place, even), (place + 1, odd)):
            for bit in range(_BITS_CORRECTED):
                change = -(1 << bit) if words[at] >> bit & 1 else 1 << bit
                if (change * effect[0] & _WORD, change * effect[1] & _WORD) == missing:
                    explanations.append((at, bit))
        even, odd = _carried(even), _carried(odd)
    if len(explanations) != 1:
        return None
    ((at, bit),) = explanations
    words[at] ^= 1 << bit
    return struct.pack(f"{order}{len(words)}I", *words)


def _header_for(slot: _Slot, seed: Sum, order: str) -> bytes:
    """Return the only start of the frame's header with which its page has the stored checksum."""
    words = struct.unpack(f"{order}{len(slot.covered) // 4}I", slot.covered)
    first, second = slot.stored
    for place in range(len(words) - 2, 0, -2):
        second = (second - words[place + 1] - first) & _WORD
        first = (first - words[place] - second) & _WORD
    return struct.pack(f"{order}2I", (first - seed[0] - seed[1]) & _WORD, (second - seed[1] - first) & _WORD)


def _possible(claims: list[_Claim]) -> list[Frame]:
    """Leave out the numbers that pages of this database cannot have."""
    pages_max = max((claim.headers[0][1] for claim in claims if claim.page is not None), default=0)
    pages = 0
    frames: list[Frame] = []
    for headers, page in claims:
        if page is not None:
            ((number, pages_total),) = headers
            frames.append(Frame((number,), pages_total, page))
            pages = pages_total or pages
            continue
        # The database never shrinks.
        numbers = [
            number
            for number, pages_total in headers
            if 0 < number <= pages_max and (pages_total == 0 or pages <= pages_total <= pages_max)
        ]
        frames.append(Frame(tuple(numbers), 0, None))
    return frames


def _carried(effect: Sum) -> Sum:
    """Return what an effect on the checksum becomes after two more words."""
    return (effect[0] + effect[1]) & _WORD, (effect[0] + 2 * effect[1]) & _WORD


def encode_log(pages: Sequence[tuple[int, bytes]], pages_total: int, salts: Sum) -> bytes:
    """Return a log with one transaction that writes these pages, of which there is at least one."""
    header = struct.pack(">6I", _MAGIC, _VERSION, PAGE_BYTES, 0, *salts)
    seed = checksum(header)
    return header + struct.pack(">2I", *seed) + encode_frames(pages, pages_total, salts, seed)


def encode_frames(pages: Sequence[tuple[int, bytes]], pages_total: int, salts: Sum, seed: Sum) -> bytes:
    """Return the frames of one transaction, after a header or a frame with the checksum ``seed``."""
    parts = []
    for place, (number, page) in enumerate(pages, 1):
        covered = struct.pack(">2I", number, pages_total if place == len(pages) else 0)
        seed = checksum(covered + page, seed)
        parts += [covered, struct.pack(">4I", *salts, *seed), page]
    return b"".join(parts)
