"""Receipts of erasures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoryd.model.record import RecordKind, counts_from
from memoryd.v1 import erasure_pb2


@dataclass(frozen=True, slots=True)
class ErasureReceipt:
    """The receipt of an erasure: the number of removed records by kind, and of journal rows that had content of them.

    ``snapshot_ids`` are the snapshots that may still contain the records: delete them, or let them be replaced. They
    are at most 1,000, newest first, and such as the caller has access to; ``snapshot_count`` is the number of all.
    """

    erased: Mapping[RecordKind, int]
    journal_row_count: int
    snapshot_ids: tuple[str, ...]
    snapshot_count: int


def receipt_from(message: erasure_pb2.ErasureReceipt) -> ErasureReceipt:
    """Return the receipt of a message."""
    return ErasureReceipt(
        counts_from(message.erased), message.journal_row_count, tuple(message.snapshot_ids), message.snapshot_count
    )


def optional_receipt(message: Any) -> ErasureReceipt | None:
    """Return the receipt of a response, None if it has none."""
    return receipt_from(message.receipt) if message.HasField("receipt") else None
