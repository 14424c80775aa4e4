"""A process that reads files: ``python -m memoryd_server.extraction.worker BYTES``, with its socket as standard input.

It reads one file after the other with as few rights as possible, and ends with the daemon. Whatever a file does to it,
the daemon loses no more than this process.
"""

import logging
import os
import re
import select
import socket
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO

import msgspec

from memoryd_server.domain.error import DocumentUnreadable, TooLarge
from memoryd_server.domain.limit import TITLE_BYTES_MAX
from memoryd_server.extraction import file_type
from memoryd_server.extraction.confinement import allow_cpu, confine, peak_memory_bytes
from memoryd_server.extraction.limit import MEMORY_KEPT_BYTES_MAX, THREAD_STACK_BYTES
from memoryd_server.extraction.message import LENGTH, READY, Answer, ReadingLimits, Task, framed
from memoryd_server.ports.extraction import ExtractedText, FileDescription

_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")


def main(memory_bytes: int) -> None:
    """Read files until the daemon closes the connection."""
    logging.disable()
    threading.stack_size(THREAD_STACK_BYTES)
    threading.Thread(target=_end_with_the_daemon, daemon=True).start()
    confine(memory_bytes)
    with socket.socket(fileno=0) as connection, connection.makefile("rb") as stream:
        connection.sendall(framed(READY))
        # Discard standard error from here on: the libraries' messages could quote the files.
        os.dup2(1, 2)
        is_last = False
        while not is_last and (task := _received(stream)):
            answer = _answer(task, stream)
            is_last = answer.is_last
            connection.sendall(framed(msgspec.msgpack.encode(answer)))


def _end_with_the_daemon() -> None:
    poll = select.poll()
    # No event is requested: poll reports the end of the connection in any case.
    poll.register(0, 0)
    poll.poll()
    os._exit(0)


def _received(stream: BinaryIO) -> Task | None:
    head = stream.read(LENGTH.size)
    if not head:
        return None
    return msgspec.msgpack.decode(stream.read(LENGTH.unpack(head)[0]), type=Task)


def _answer(task: Task, stream: BinaryIO) -> Answer:
    allow_cpu(task.limits.cpu_s)
    try:
        answer = _answer_of(_read(task, stream), task.limits)
    except DocumentUnreadable as error:
        answer = Answer(problem=error.metadata["problem"])
    except TooLarge as error:
        answer = Answer(limit=error.metadata["limit"])
    except MemoryError:
        # The process may not have enough memory left for another file, so this is its last one.
        return Answer(problem=f"needs more than {task.limits.memory_bytes // 1024**2} MiB to be read", is_last=True)
    except Exception:  # noqa: BLE001 - what a library says about a damaged file is not foreseeable
        answer = Answer(problem="is damaged")
    return msgspec.structs.replace(answer, is_last=peak_memory_bytes() > MEMORY_KEPT_BYTES_MAX)


def _read(task: Task, stream: BinaryIO) -> ExtractedText:
    if task.path:
        with Path(task.path).open("rb") as file:
            data = file.read(task.limits.file_bytes + 1)
    else:
        data = stream.read(task.data_bytes)
    if len(data) > task.limits.file_bytes:
        raise TooLarge("document_file_bytes", task.limits.file_bytes)
    media_type = file_type.type_of(data, task.file.name, task.file.media_type)
    return _reader_of(media_type, task.file)(data, task.limits)


def _reader_of(media_type: str, file: FileDescription) -> Callable[[bytes, ReadingLimits], ExtractedText]:
    # Each is imported for the first file that needs it: some of their libraries take a third of a second and 20 MB.
    if media_type == file_type.PDF:
        from memoryd_server.extraction.pdf_reader import read_pdf

        return read_pdf
    if media_type == file_type.DOCX:
        from memoryd_server.extraction.docx_reader import read_docx

        return read_docx
    if media_type == file_type.HTML:
        from memoryd_server.extraction.html_reader import read_html

        return partial(read_html, file=file)
    from memoryd_server.extraction.text_reader import read_markdown, read_text

    return partial(read_markdown if media_type == file_type.MARKDOWN else read_text, file=file)


def _answer_of(extracted: ExtractedText, limits: ReadingLimits) -> Answer:
    text = _plain(extracted.text)
    if not text.strip():
        raise DocumentUnreadable("has no text")
    if len(text.encode()) > limits.text_bytes:
        raise TooLarge("document_text_bytes", limits.text_bytes)
    title = " ".join(_plain(extracted.title).split()).encode()[:TITLE_BYTES_MAX].decode("utf-8", "ignore")
    return Answer(text=text, title=title, media_type=extracted.media_type, charset=extracted.charset)


def _plain(text: str) -> str:
    """Return a text with ``\\n`` as line breaks, and without control characters and lone surrogates."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text).encode("utf-8", "ignore").decode()


if __name__ == "__main__":
    main(int(sys.argv[1]))
