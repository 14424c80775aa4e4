"""Extracts text from files in separate processes."""

import asyncio
import os
import signal
from pathlib import Path

from memoryd_server.domain.error import DocumentUnreadable, Draining, TooLarge
from memoryd_server.domain.limit import Limits
from memoryd_server.extraction.limit import (
    BEGIN_S_MAX,
    IDLE_S_MAX,
    MEMORY_BYTES_MAX,
    PAGES_MAX,
    PROCESSES_MAX,
    READ_S_MAX,
    UNPACKED_BYTES_MAX,
)
from memoryd_server.extraction.message import Answer, ReadingLimits, Task
from memoryd_server.extraction.reading_process import ProcessEnded, ReadingProcess
from memoryd_server.ports.extraction import UNKNOWN_FILE, ExtractedText, FileDescription


class FileExtractor:
    """Implements ``Extractor``. Processes are started when needed, and stopped after ``idle_s_max`` without a file.

    If a process exceeds its limits or crashes, only the file that caused it is refused; the next file gets a new one.
    """

    def __init__(
        self,
        limits: Limits,
        read_s_max: float = READ_S_MAX,
        *,
        pages_max: int = PAGES_MAX,
        memory_bytes_max: int = MEMORY_BYTES_MAX,
        idle_s_max: float = IDLE_S_MAX,
    ) -> None:
        self._limits = ReadingLimits(
            file_bytes=limits.document_file_bytes,
            memory_bytes=memory_bytes_max,
            text_bytes=limits.document_text_bytes,
            unpacked_bytes=UNPACKED_BYTES_MAX,
            pages=pages_max,
            cpu_s=read_s_max,
        )
        self._read_s_max = read_s_max
        self._idle_s_max = idle_s_max
        self._turns = asyncio.Semaphore(PROCESSES_MAX)
        self._busy: set[ReadingProcess] = set()
        self._idle: dict[ReadingProcess, asyncio.TimerHandle] = {}
        self._ending: set[asyncio.Task[int]] = set()
        self._is_closed = False

    async def extract(self, data: bytes | Path, file: FileDescription = UNKNOWN_FILE) -> ExtractedText:
        """Return the text of a file. The time limit does not include the wait for a free process.

        Raises DocumentUnreadable, TooLarge, Draining once closed, and OSError for a path without a readable file.
        """
        path, sent = ("", data) if isinstance(data, bytes) else (str(data), b"")
        size = len(sent) if isinstance(data, bytes) else await asyncio.to_thread(_readable_size, data)
        if size > self._limits.file_bytes:
            raise TooLarge("document_file_bytes", self._limits.file_bytes)
        task = Task(path, len(sent), file, self._limits)
        async with self._turns:
            answer = await self._answer(task, sent)
        if answer.limit:
            raise TooLarge(answer.limit, getattr(self._limits, answer.limit.removeprefix("document_")))
        if answer.problem:
            raise DocumentUnreadable(answer.problem)
        return ExtractedText(answer.text, answer.title, answer.media_type, answer.charset)

    async def close(self) -> None:
        """Stop all processes. Calls of ``extract`` in progress raise Draining."""
        self._is_closed = True
        for process in (*self._busy, *self._idle):
            self._end(process)
        await asyncio.gather(*self._ending)

    async def _answer(self, task: Task, data: bytes) -> Answer:
        process = self._taken()
        is_over = True
        try:
            await self._begin(process)
            async with asyncio.timeout(self._read_s_max):
                answer = await process.read(task, data)
            is_over = answer.is_last
        except TimeoutError:
            return Answer(problem=self._too_slow())
        except ProcessEnded as ended:
            if self._is_closed:
                raise Draining from None
            return Answer(problem=self._too_slow() if ended.code == -signal.SIGXCPU else "crashes its reader")
        finally:
            self._busy.discard(process)
            if is_over or self._is_closed:
                self._end(process)
            else:
                loop = asyncio.get_running_loop()
                self._idle[process] = loop.call_later(self._idle_s_max, self._end, process)
        return answer

    def _taken(self) -> ReadingProcess:
        if self._is_closed:
            raise Draining
        while self._idle:
            process, timer = self._idle.popitem()
            timer.cancel()
            if process.is_there():
                break
            self._end(process)
        else:
            process = ReadingProcess(self._limits.memory_bytes)
        self._busy.add(process)
        return process

    async def _begin(self, process: ReadingProcess) -> None:
        try:
            async with asyncio.timeout(BEGIN_S_MAX):
                await process.begin()
        except (ProcessEnded, TimeoutError) as error:
            if self._is_closed:
                raise Draining from None
            raise RuntimeError("the process that reads files did not start") from error

    def _end(self, process: ReadingProcess) -> None:
        if timer := self._idle.pop(process, None):
            timer.cancel()
        ending = asyncio.ensure_future(process.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    def _too_slow(self) -> str:
        return f"takes more than {self._read_s_max:g} s to read"


def _readable_size(path: Path) -> int:
    with path.open("rb") as file:
        return os.fstat(file.fileno()).st_size
