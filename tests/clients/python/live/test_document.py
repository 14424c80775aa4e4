"""The blocks of the README and the samples, run against a live daemon."""

import json
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from tests.daemon import Daemon
from tests.wait import WAIT_S_MAX

import memoryd

PACKAGE = Path(__file__).parents[4] / "clients" / "python"
TURNS = [
    {"id": "D1:1", "session": 1, "time": "9:00", "speaker": "Ada", "text": "Hello."},
    {
        "id": "D1:2",
        "session": 1,
        "time": "9:00",
        "speaker": "Bob",
        "text": "Hi, a “photo” \U0001f600",
        "caption": "a cat",
    },
    {"id": "D2:1", "session": 2, "time": "10:00", "speaker": "Ada", "text": "Again."},
]


def run(daemon: Daemon, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", *map(str, arguments), "--address", daemon.address]
    return subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)


@pytest.fixture
def conversations(tmp_path: Path) -> Path:
    file = tmp_path / "conversations.json"
    recorded = [{"name": name, "turns": TURNS} for name in ("one", "two")]
    file.write_text(json.dumps({"conversations": recorded}), encoding="utf-8")
    return file


def test_the_readme_is_true(shared_daemon: Daemon, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORYD_ADDRESS", shared_daemon.address)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (PACKAGE / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks
    page: dict[str, object] = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"README block {number}", "exec"), page)


def test_the_first_steps_work(shared_daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_ADDRESS", shared_daemon.address)
    command = [sys.executable, "-W", "error", str(PACKAGE / "samples" / "first_steps.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
    assert done.returncode == 0, done.stderr
    assert "after the task: 7" in done.stdout
    assert "  7 scope_disposed  book a table" in done.stdout


def test_the_consolidation_works_again_and_again(shared_daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_ADDRESS", shared_daemon.address)
    command = [sys.executable, "-W", "error", str(PACKAGE / "samples" / "consolidate.py")]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
        assert done.returncode == 0, done.stderr
        assert "fragments about chess: ['Ada plays chess with Bob', 'Ada likes chess']" in done.stdout
        assert "about/Bob: ['Bob is late again', 'Ada plays chess with Bob']" in done.stdout


def test_fragments_are_consolidated_exactly_once(shared_daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_ADDRESS", shared_daemon.address)
    command = [sys.executable, "-W", "error", str(PACKAGE / "samples" / "exactly_once.py")]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
        assert done.returncode == 0, done.stderr
        assert "memories of 3 fragments" in done.stdout


def test_the_context_of_the_project_s_readme_is_what_the_sample_composes(
    shared_daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_ADDRESS", shared_daemon.address)
    command = [sys.executable, "-W", "error", str(PACKAGE / "samples" / "compose.py")]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
        assert done.returncode == 0, done.stderr
        assert f"```text\n{done.stdout}```\n" in (PACKAGE.parents[1] / "README.md").read_text("utf-8")


class Model(BaseHTTPRequestHandler):
    """An endpoint of OpenAI's chat API that extracts the same two memories from any prompt."""

    asked: ClassVar[list[dict[str, object]]] = []
    taken: ClassVar[list[object]] = [
        {"note": 0, "memory": "Ada lives in Lisbon."},
        {"note": 2, "memory": "Ada is allergic to nuts."},
    ]

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        content = f"Here it is:\n```json\n{json.dumps(self.taken)}\n```"
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def extracted(daemon: Daemon, monkeypatch: pytest.MonkeyPatch, times: int) -> list[subprocess.CompletedProcess[str]]:
    """Run the sample with the model ``times`` times, and return the finished processes."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as endpoint:
        thread = threading.Thread(target=endpoint.serve_forever)
        thread.start()
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{endpoint.server_port}/v1")
        monkeypatch.setenv("MEMORYD_ADDRESS", daemon.address)
        command = [sys.executable, "-W", "error", str(PACKAGE / "samples" / "extract.py")]
        done = [
            subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
            for _ in range(times)
        ]
        endpoint.shutdown()
        thread.join()
    return done


@pytest.mark.whole
def test_what_a_model_extracts_is_stored_as_memories(shared_daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    done = extracted(shared_daemon, monkeypatch, 2)
    assert [each.returncode for each in done] == [0, 0], done[0].stderr + done[1].stderr
    expected = ["semantic of Ada: Ada is allergic to nuts.", "semantic of Ada: Ada lives in Lisbon."]
    assert [sorted(each.stdout.splitlines()) for each in done] == [expected, expected]
    assert "Ada: I moved to Lisbon in May" in str(Model.asked[0])


@pytest.mark.whole
@pytest.mark.parametrize("taken", [1, {"note": 7, "memory": "x"}, {"note": 0, "memory": ""}, {"note": 0, "memory": 1}])
def test_unusable_output_of_a_model_is_an_error(daemon: Daemon, monkeypatch: pytest.MonkeyPatch, taken: object) -> None:
    monkeypatch.setattr(Model, "taken", [taken])
    (done,) = extracted(daemon, monkeypatch, 1)
    assert (done.returncode, done.stdout) == (1, "")
    assert "error: the model's output cannot be used: " in done.stderr


def test_remembering_works_again_and_again(shared_daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_ADDRESS", shared_daemon.address)
    command = [sys.executable, "-W", "error", str(PACKAGE / "samples" / "remember.py")]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
        assert done.returncode == 0, done.stderr
        assert "remembered 4 turns" in done.stdout
        assert "superseded: ['Ada: I moved to Lisbon in May, for the new job.']" in done.stdout
        assert "known before: active" in done.stdout


@pytest.mark.whole
def test_an_agent_knows_in_its_second_run_what_it_learned_in_the_first(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_ADDRESS", daemon.address)
    command = [sys.executable, "-W", "error", str(PACKAGE / "samples" / "agent_loop.py")]
    for answer in ("I know nothing of you yet.", "All but nuts."):
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"user: What may I eat?\nassistant: {answer}\n")
        assert '  remember: {"outcome": ' in done.stdout
        assert "assistant: I will remember that." in done.stdout
        daemon.kill()
        daemon.start()


@pytest.mark.whole
def test_a_replay_is_verified_again_after_a_kill(daemon: Daemon, conversations: Path) -> None:
    replay = PACKAGE / "samples" / "replay.py"
    for _ in range(2):
        done = run(daemon, replay, conversations)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        assert "played 6 turns of 4 sessions in 2 conversations" in done.stdout
    daemon.kill()
    daemon.start()
    done = run(daemon, replay, conversations, "--verify-only")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_a_replay_that_differs_from_the_file_is_an_error(
    shared_daemon: Daemon, client: memoryd.Client, conversations: Path
) -> None:
    replay = PACKAGE / "samples" / "replay.py"
    assert run(shared_daemon, replay, conversations).returncode == 0
    agent = client.agent("replay-one")
    key = next(agent.keys(key_prefix="turn/"))
    agent.set(key, "something else", entry_type="conversation")
    done = run(shared_daemon, replay, conversations, "--verify-only")
    assert done.returncode == 1
    assert key in done.stderr


@pytest.mark.whole
def test_a_replay_without_a_daemon_says_so(conversations: Path) -> None:
    command = [sys.executable, str(PACKAGE / "samples" / "replay.py"), str(conversations), "--address", "127.0.0.1:1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
    assert done.returncode == 1
    assert "127.0.0.1:1" in done.stderr
