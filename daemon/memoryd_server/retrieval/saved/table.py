"""Tables: arrays by name, as a file holds them, with lists of texts and of arrays packed into arrays."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from memoryd_server.ports.retrieval import UnusableIndex
from memoryd_server.retrieval.column import Mask
from memoryd_server.retrieval.saved.loaded_arrays import NO_ARRAYS, LoadedArrays

_NO_ITEMS: "array[int]" = array("I")

Table = Mapping[str, NDArray[Any]]


def write_table(file: BinaryIO, table: Table) -> None:
    """Write a table, with checksums. Raises OSError."""
    np.savez(file, allow_pickle=False, **table)


def read_table(file: BinaryIO) -> dict[str, NDArray[Any]]:
    """Read a table whole, and check it. Raises UnusableIndex if it is damaged, and OSError."""
    try:
        with np.load(file, allow_pickle=False) as members:
            return {name: members[name] for name in members.files}
    except OSError:
        raise
    except Exception as error:
        # Damage is found by zipfile, zlib or NumPy, which raise errors of many kinds.
        raise UnusableIndex(f"damaged: {error}") from error


def packed_texts(name: str, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return a list of texts in the form of a table."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    sizes = np.fromiter(map(len, encoded), np.uint32, len(encoded))
    return {name: np.frombuffer(b"".join(encoded), np.uint8), _sizes_of(name): sizes}


def texts_of(table: Table, name: str) -> list[str]:
    """Return a list of texts that was packed."""
    packed = table[name].tobytes()
    return [packed[start:end].decode("utf-8", "surrogatepass") for start, end in _spans(table[_sizes_of(name)])]


def packed_arrays(
    name: str, arrays: Sequence["array[int] | None"], loaded: LoadedArrays = NO_ARRAYS
) -> dict[str, NDArray[Any]]:
    """Return a list of arrays of unsigned integers of 32 bits in the form of a table. None is that of the same number
    among those that were loaded.
    """
    sizes = np.fromiter((0 if each is None else len(each) for each in arrays), np.uint32, len(arrays))
    is_loaded = np.fromiter((each is None for each in arrays), np.bool_, len(arrays))
    sizes[is_loaded] = loaded.sizes[: len(arrays)][is_loaded[: len(loaded)]]
    packed, before = bytearray(), 0
    for number, each in enumerate((*arrays, _NO_ITEMS)):
        if each is not None:
            if before < number:
                packed += loaded.between(before, number)
            packed += each
            before = number + 1
    return {name: np.frombuffer(packed, np.uint32), _sizes_of(name): sizes}


def arrays_of(table: Table, name: str, kept: Mask | None = None) -> LoadedArrays:
    """Return a list of arrays that was packed, with only those items of all arrays that a mask keeps."""
    items, sizes = table[name], table[_sizes_of(name)]
    if kept is not None:
        before = np.zeros(len(items) + 1, np.int64)
        np.cumsum(kept, out=before[1:])
        ends = np.cumsum(sizes, dtype=np.int64)
        items, sizes = items[kept], before[ends] - before[ends - sizes]
    return LoadedArrays(items, sizes)


def owners_of(table: Table, name: str) -> NDArray[np.intp]:
    """Return for each item of a packed list of arrays the number of its array."""
    sizes = table[_sizes_of(name)]
    return np.repeat(np.arange(len(sizes)), sizes)


def _sizes_of(name: str) -> str:
    return f"{name}.sizes"


def _spans(sizes: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Yield where each of parts of these sizes begins and ends."""
    start = 0
    for size in sizes.tolist():
        yield start, start + size
        start += size
