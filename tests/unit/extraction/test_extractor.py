import asyncio
import io
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import uvloop
from tests.unit.extraction.file import docx_of, docx_of_body, pdf_of, slow_pdf, with_member
from tests.wait import STEP_S

from memoryd_server.domain.error import DocumentUnreadable, Draining, TooLarge
from memoryd_server.domain.limit import TITLE_BYTES_MAX, Limits
from memoryd_server.extraction.extractor import FileExtractor
from memoryd_server.extraction.file_type import DOCX, HTML, MARKDOWN, PDF, TEXT
from memoryd_server.extraction.limit import PROCESSES_MAX
from memoryd_server.ports.extraction import FileDescription

MiB = 1024**2
LIMITS = Limits(document_file_bytes=4 * MiB, document_text_bytes=MiB)

Processes = Callable[[], set[int]]


@pytest.fixture
def processes() -> Processes:
    """Returns the worker processes that this process started since the test began: daemons of other tests keep some."""
    others = workers_of(os.getpid())
    return lambda: workers_of(os.getpid()) - others


@pytest.fixture
async def extractor(processes: Processes) -> AsyncIterator[FileExtractor]:
    opened = FileExtractor(LIMITS, memory_bytes_max=192 * MiB)
    yield opened
    await opened.close()
    assert processes() == set()


def workers_of(parent: int) -> set[int]:
    """Return the worker processes that a process started."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):  # shared: only a parent's children are kept
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            command = stat.with_name("cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[1]) == parent and b"memoryd_server.extraction.worker" in command:
            found.add(int(stat.parent.name))
    return found


async def until(holds: Callable[[], object]) -> None:
    """Wait until a condition holds."""
    while not holds():  # noqa: ASYNC110 - other processes change it and set no event
        await asyncio.sleep(STEP_S)  # time: a look at the condition follows


async def reads_on(extractor: FileExtractor) -> None:
    """Check that the extractor still reads files."""
    assert (await extractor.extract(b"The fox.")).text == "The fox."


async def problem(extracting: Awaitable[object]) -> str:
    """Return the problem for which a file is refused."""
    with pytest.raises(DocumentUnreadable) as refused:
        await extracting
    return refused.value.metadata["problem"]


def name_of(value: object) -> str | None:
    """Name a file by its size: its bytes have the time at which each worker made it, and all must name it the same."""
    return f"{len(value)} bytes" if isinstance(value, bytes) else None


@pytest.mark.parametrize(
    ("data", "name", "text", "media_type"),
    [
        ("Füchse 🦊".encode(), "a.txt", "Füchse 🦊", TEXT),
        (b"# Fox\r\nIt \x1b[1mlives\x7f.\r", "a.md", "# Fox\nIt [1mlives.\n", MARKDOWN),
        (b"<html><p>Fox", "", "Fox", HTML),
        (pdf_of(["Füchse", "zwei"]), "a.txt", "Füchse\n\fzwei", PDF),
        (docx_of(lambda document: document.add_heading("Füchse", 1)), "a.pdf", "# Füchse", DOCX),
    ],
    ids=name_of,
)
async def test_each_type_is_read(extractor: FileExtractor, data: bytes, name: str, text: str, media_type: str) -> None:
    found = await extractor.extract(data, FileDescription(name))
    assert (found.text, found.media_type) == (text, media_type)


async def test_a_file_is_read_by_its_path(extractor: FileExtractor, tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_bytes(pdf_of(["Füchse"], "Title"))
    found = await extractor.extract(path, FileDescription("a.pdf"))
    assert (found.text, found.title) == ("Füchse", "Title")
    with pytest.raises(FileNotFoundError):
        await extractor.extract(tmp_path / "none")


async def test_a_file_that_is_too_large_is_refused(extractor: FileExtractor, tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_bytes(b"a" * (4 * MiB + 1))
    for data in (path, path.read_bytes()):
        with pytest.raises(TooLarge) as refused:
            await extractor.extract(data)
        assert refused.value.metadata == {"limit": "document_file_bytes", "value": str(4 * MiB)}


async def test_a_text_that_is_too_long_is_refused(extractor: FileExtractor) -> None:
    assert len((await extractor.extract(b"a" * MiB)).text) == MiB
    with pytest.raises(TooLarge) as refused:
        await extractor.extract("Füchse in Köln. ".encode("cp1252") * (MiB // 16))
    assert refused.value.metadata == {"limit": "document_text_bytes", "value": str(MiB)}


async def test_a_title_is_one_line_of_limited_length(extractor: FileExtractor) -> None:
    page = "<html><title>One\n line " + "ü" * 2_000 + "</title><p>Fox"
    title = (await extractor.extract(page.encode())).title
    assert title.startswith("One line ü")
    assert TITLE_BYTES_MAX - 1 <= len(title.encode()) <= TITLE_BYTES_MAX


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"", "a.txt", "has no text"),
        (b" \n\f", "a.md", "has no text"),
        (b"<html><script>x</script></html>", "", "has no text"),
        (pdf_of([""]), "", "has no text"),
        (docx_of(lambda _: None), "", "has no text"),
        (b"%PDF-1.7 and nothing else", "", "is damaged"),
        (b"PK\x03\x04 and nothing else", "", "is damaged"),
        (b"Not a PDF.", "a.pdf", "is not a PDF file, although its name or media type says so"),
        (pdf_of(["a"] * 2_001), "", "has more than 2,000 pages"),
        (docx_of_body(b"<w:p>" * 9_999 + b"</w:p>" * 9_999), "", "is damaged"),
        (with_member(docx_of(lambda _: None), "word/a.xml", b"\0" * 130 * MiB), "", "unpacks to more than 128 MiB"),
    ],
    ids=name_of,
)
async def test_an_unreadable_file_is_refused_with_the_reason(
    extractor: FileExtractor, data: bytes, name: str, reason: str
) -> None:
    assert await problem(extractor.extract(data, FileDescription(name))) == reason


@pytest.mark.parametrize(
    "whole",
    [
        pdf_of(["The fox.", "Its letters."]),
        docx_of(lambda document: document.add_paragraph("The fox.")),
        "<html><h1>Fox</h1><p>Füchse &amp; co</p></html>".encode(),
    ],
    ids=name_of,
)
async def test_a_truncated_file_is_read_or_refused(extractor: FileExtractor, whole: bytes) -> None:
    for end in range(0, len(whole), max(len(whole) // 40, 1)):
        try:
            assert (await extractor.extract(whole[:end])).text.strip()
        except DocumentUnreadable:
            continue


async def test_a_file_that_needs_too_much_memory_is_refused_and_its_process_replaced(extractor: FileExtractor) -> None:
    eater = docx_of_body(b"<w:p/>" * 6_000_000)
    assert await problem(extractor.extract(eater)) == "needs more than 192 MiB to be read"
    await reads_on(extractor)


async def test_a_file_that_takes_too_long_is_refused_while_others_are_read(processes: Processes) -> None:
    extractor = FileExtractor(LIMITS, 1.0)
    slow = asyncio.create_task(extractor.extract(slow_pdf()))
    await until(processes)
    while not slow.done():
        await reads_on(extractor)
    assert await problem(slow) == "takes more than 1 s to read"
    await reads_on(extractor)
    await extractor.close()


@pytest.mark.whole
async def test_the_kernel_kills_a_process_that_exceeds_its_processor_time() -> None:
    script = "import sys; from memoryd_server.extraction.confinement import *; allow_cpu(0.1)\nwhile True: pass"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, env=environment())
    assert await process.wait() == -signal.SIGXCPU


async def test_a_killed_process_fails_only_the_file_that_it_reads(
    extractor: FileExtractor, processes: Processes
) -> None:
    await reads_on(extractor)
    (process,) = processes()
    before = computed(process)
    slow = asyncio.create_task(extractor.extract(slow_pdf()))
    await until(lambda: computed(process) > before + 20)
    await reads_on(extractor)
    os.kill(process, signal.SIGKILL)
    assert await problem(slow) == "crashes its reader"
    await reads_on(extractor)


async def test_a_process_that_was_killed_while_idle_is_replaced(extractor: FileExtractor, processes: Processes) -> None:
    await reads_on(extractor)
    (process,) = processes()
    os.kill(process, signal.SIGKILL)
    await asyncio.to_thread(os.waitid, os.P_PID, process, os.WEXITED | os.WNOWAIT)
    await reads_on(extractor)
    assert process not in processes()


async def test_a_cancelled_call_ends_its_process(extractor: FileExtractor, processes: Processes) -> None:
    for _ in range(PROCESSES_MAX + 1):
        slow = asyncio.create_task(extractor.extract(slow_pdf()))
        await until(processes)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        await until(lambda: not processes())
    await reads_on(extractor)


async def test_a_call_that_waits_for_a_process_can_be_cancelled(processes: Processes) -> None:
    extractor = FileExtractor(LIMITS)
    slow = [asyncio.create_task(extractor.extract(slow_pdf())) for _ in range(PROCESSES_MAX)]
    await until(lambda: len(processes()) == PROCESSES_MAX)
    waiting = asyncio.create_task(extractor.extract(b"The fox."))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    slow[0].cancel()
    await reads_on(extractor)
    await extractor.close()
    with pytest.raises(Draining):
        await slow[1]


async def test_idle_processes_are_reused_and_end_after_a_time(processes: Processes) -> None:
    extractor = FileExtractor(LIMITS)
    assert processes() == set()
    await asyncio.gather(*(reads_on(extractor) for _ in range(8)))
    kept = processes()
    assert 0 < len(kept) <= PROCESSES_MAX
    await reads_on(extractor)
    assert processes() == kept
    await extractor.close()

    hasty = FileExtractor(LIMITS, idle_s_max=0.0)
    await reads_on(hasty)
    await until(lambda: not processes())
    await reads_on(hasty)
    await hasty.close()


async def test_a_process_that_needed_much_memory_is_not_reused(processes: Processes) -> None:
    extractor = FileExtractor(Limits())
    await extractor.extract(b"<html><body><p>a<!--" + b"x" * (28 * MiB) + b"--></body></html>")
    await until(lambda: not processes())
    await extractor.close()


async def test_files_are_refused_while_and_after_the_extractor_closes(processes: Processes) -> None:
    extractor = FileExtractor(LIMITS)
    files = [asyncio.create_task(extractor.extract(slow_pdf())) for _ in range(PROCESSES_MAX + 1)]
    await until(lambda: len(processes()) == PROCESSES_MAX)
    await extractor.close()
    assert processes() == set()
    for file in files:
        with pytest.raises(Draining):
            await file
    with pytest.raises(Draining):
        await extractor.extract(b"The fox.")
    await extractor.close()


def test_files_are_read_on_the_daemons_event_loop(tmp_path: Path) -> None:
    async def read() -> None:
        extractor = FileExtractor(LIMITS)
        await reads_on(extractor)
        await extractor.extract(b"<p>" * MiB + b"a", FileDescription("a.html"))
        await extractor.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(read())


def computed(process: int) -> int:
    """Return the processor time of a process, in the kernel's ticks."""
    return sum(map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]))


def proc_file(process: int, name: str) -> bytes:
    """Return the content of a file in the process's directory below /proc."""
    return Path(f"/proc/{process}/{name}").read_bytes()


def environment() -> dict[str, str]:
    """Return the environment in which a process finds the modules."""
    return {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


READ_SLOWLY = """
import asyncio, os, sys
from memoryd_server.domain.limit import Limits
from memoryd_server.extraction.extractor import FileExtractor
async def read():
    extractor = FileExtractor(Limits())
    assert (await extractor.extract(b"The fox.")).text == "The fox."
    os.write(1, b"%d\\n" % os.getpid())
    await extractor.extract(sys.stdin.buffer.read())
if os.fork():
    os.wait()
else:
    asyncio.run(read())
"""


@pytest.mark.whole
@pytest.mark.parametrize("at_work", [False, True])
def test_processes_end_with_a_killed_daemon_that_was_forked(at_work: bool) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", READ_SLOWLY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    ) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        daemon = int(first.stdout.readline())
        readers = workers_of(daemon)
        assert len(readers) == 1
        if at_work:
            first.stdin.write(slow_pdf())
            first.stdin.close()
            before = sum(map(computed, readers))
            while sum(map(computed, readers)) < before + 20:
                pass
        os.kill(daemon, signal.SIGKILL)
        while any(Path(f"/proc/{reader}").exists() for reader in readers):
            pass


async def test_a_process_does_not_inherit_the_environment(
    extractor: FileExtractor, monkeypatch: pytest.MonkeyPatch, processes: Processes
) -> None:
    monkeypatch.setenv("MEMORYD_EMBEDDING_API_KEY", "secret")
    await reads_on(extractor)
    (process,) = processes()
    assert b"secret" not in proc_file(process, "environ")


async def test_a_process_can_neither_write_files_nor_exceed_its_memory(
    extractor: FileExtractor, processes: Processes
) -> None:
    await reads_on(extractor)
    (process,) = processes()
    lines = proc_file(process, "limits").decode().splitlines()[1:]
    limits = {line[:26].strip(): line[26:].split()[:2] for line in lines}
    assert limits["Max file size"] == ["0", "0"]
    assert limits["Max address space"] == [str(192 * MiB)] * 2
    assert limits["Max open files"] == ["16", "16"]
    assert limits["Max processes"] == ["0", "0"]
    assert limits["Max core file size"] == ["0", "0"]
    assert int(limits["Max cpu time"][0]) <= 60


async def test_a_process_that_does_not_start_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    extractor = FileExtractor(LIMITS)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError, match="did not start"):
        await extractor.extract(b"The fox.")
    await extractor.close()


def test_an_archive_that_is_no_docx_is_refused_whatever_its_name() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "Hello")

    async def read() -> None:
        extractor = FileExtractor(LIMITS)
        assert (
            await problem(extractor.extract(file.getvalue(), FileDescription("a.docx")))
            == "is an archive, but not a DOCX file"
        )
        await extractor.close()

    asyncio.run(read())
