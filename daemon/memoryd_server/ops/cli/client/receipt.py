"""The receipt of an erasure, in words."""

from typing import TYPE_CHECKING

from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.cli.terminal.phrase import counted

if TYPE_CHECKING:
    from memoryd import ErasureReceipt


def show_erased(output: Output, what: str, receipt: "ErasureReceipt") -> None:
    """Write the receipt of an erasure. It is no failure if nothing was left to remove: past events may have had it."""
    output.done(receipt, f"{what} was erased, {erased_words(receipt)}")


def erased_words(receipt: "ErasureReceipt") -> str:
    """Return what was erased besides, and where it may still be."""
    words = f"also from {counted(receipt.journal_row_count, 'row')} of the journal"
    if receipt.snapshot_count:
        names = ", ".join(receipt.snapshot_ids) or "of others"
        words += f"; {counted(receipt.snapshot_count, 'snapshot')} may still contain it: {names}"
    return words


def with_receipt(sentence: str, receipt: "ErasureReceipt | None") -> str:
    """Return a sentence about a removal with what was erased besides, if it was erased."""
    return sentence if receipt is None else f"{sentence}; erased, {erased_words(receipt)}"
