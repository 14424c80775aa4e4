"""The TypeScript client in a web page: bundled, by its size, and in a browser that calls a daemon."""

import gzip
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from tests.clients.trial import SCENARIOS
from tests.clients.typescript.frameworks import QUIET, packed, run
from tests.daemon import Daemon
from tests.integration.credential import write_tokens
from tests.wait import WAIT_S_MAX

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[3]
PROJECT = ROOT / "tests" / "web" / "browser"
PAGE = ROOT / "docs" / "http.md"
(EXAMPLE,) = re.findall(r"```html\n(.*?memoryd/browser.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
SIZES = re.compile(r"(\d+) KB, (\d+) compressed")
PAGE_LINES_MAX = 10
ROWS = {"one": 'agents = ["mine"]'}

pytestmark = [
    pytest.mark.whole,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packed client, in the folder where it was built."""
    return packed(tmp_path_factory.mktemp("client"))


@pytest.fixture(scope="module")
def project(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the packed client and a bundler, where nothing else is installed."""
    folder = tmp_path_factory.mktemp("page") / "project"
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns("node_modules", "dist"))
    run("npm", "ci", *QUIET, at=folder)
    run("npm", "install", "--no-save", *QUIET, package, at=folder)
    return folder


@pytest.fixture(scope="module")
def origin(project: Path) -> Iterator[str]:
    """The origin of the server of the project's pages."""
    handler = partial(_Quiet, directory=str(project / "dist"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Print nothing."""


@pytest.fixture(scope="module")
def called(origin: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that pages of the origin may call."""
    daemon = Daemon(tmp_path_factory.mktemp("called"), "--http-origin", origin, "--embedder", "none")
    daemon.start()
    yield daemon
    daemon.close()
    assert "Traceback" not in daemon.log


def bundled(project: Path, name: str) -> str:
    """Bundle a page, and return its script."""
    shutil.rmtree(project / "dist", ignore_errors=True)
    run("npx", "vite", "build", "--logLevel", "warn", at=project, MEMORYD_PAGE=name)
    (script,) = (project / "dist" / "assets").glob("*.js")
    return script.read_text("utf-8")


@pytest.fixture
def example(project: Path, called: Daemon) -> str:
    """The bundled script of the page of the documentation, for the daemon."""
    text = EXAMPLE.replace("127.0.0.1:7600", called.address)
    assert called.address in text
    (project / "page.html").write_text(text, "utf-8")
    return bundled(project, "page.html")


@pytest.fixture(scope="module")
def probe(project: Path, origin: str) -> str:
    """The address of a page whose scripts have the client as ``memoryd``."""
    bundled(project, "probe.html")
    return f"{origin}/probe.html"


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.splitlines()) <= PAGE_LINES_MAX


def test_a_bundle_has_no_modules_of_node_and_the_size_that_is_documented(example: str) -> None:
    assert re.findall(r"node:\w+|__vite-browser-external|createRequire|require\(", example) == []
    (sizes,) = SIZES.findall(PAGE.read_text("utf-8"))
    data = example.encode()
    measured = (len(data) / 1000, len(gzip.compress(data)) / 1000)
    for stated, size in zip(sizes, measured, strict=True):
        assert 0.95 * int(stated) <= size <= int(stated), measured


def test_the_scenarios_of_all_clients_are_played(package: Path, served: Daemon) -> None:
    program = ("node", "build/conformance/main.js", "scenarios")
    # The daemon of these tests has no embedder.
    scenarios = [path for path in SCENARIOS if path.stem != "document_meaning"]
    run(*program, served.address, *scenarios, at=package.parent, MEMORYD_CONFORMANCE_LINK="fetch")


def test_types_are_found_by_bundlers_and_by_node(project: Path) -> None:
    for module, resolution in (("ESNext", "Bundler"), ("Node16", "Node16")):
        run("npx", "tsc", "--module", module, "--moduleResolution", resolution, at=project)


def test_the_page_of_the_documentation_shows_what_is_set(
    example: str, origin: str, called: Daemon, browser: "Browser"
) -> None:
    assert example
    with closing(browser.new_context()) as context:
        page = opened(context, f"{origin}/page.html")
        page.get_by_text('"curious"').wait_for()


def opened(context: Any, url: str) -> "Page":
    """Open a page whose errors fail the test by way of its promises."""
    context.set_default_timeout(WAIT_S_MAX * 1000)
    page: Page = context.new_page()
    page.goto(url)
    return page


@pytest.fixture
def page(probe: str, browser: "Browser") -> Iterator["Page"]:
    """A page that has the client."""
    with closing(browser.new_context()) as context:
        yield opened(context, probe)


def evaluated(page: "Page", target: str, agent_id: str, body: str) -> Any:
    """Run a function's body with an ``agent`` and its ``client``, and return what it returns."""
    script = f"""async ([target, agentId]) => {{
      const client = memoryd.connect({{ target }});
      const agent = client.agent(agentId);
      try {{ {body} }} finally {{ client.close(); }}
    }}"""
    return page.evaluate(script, [target, agent_id])


def test_a_page_uses_all_kinds_of_memory(page: "Page", called: Daemon, agent_id: str) -> None:
    found = evaluated(
        page,
        f"http://{called.address}",
        agent_id,
        """
        const { revision } = await agent.set("plan", { steps: [1, 9007199254740993n] });
        const plan = await agent.get("plan");
        const count = await agent.update("visits", (visits = 0) => visits + 1);
        const made = await agent.getOrSet("made", () => "once");
        await agent.memories.remember("Ann likes tea.");
        const recalled = (await agent.memories.recall("tea")).memories[0].memory.content;
        const note = await agent.notes.create("Tone", "Be brief.");
        const goal = (await agent.plans.create("Tea party", { conversationId: "talk", steps: ["buy tea"] })).goal;
        const file = new File(["The night train leaves at ten."], "trains.txt");
        const whole = [new Uint8Array(await file.arrayBuffer())];
        const { title } = await agent.documents.upload(whole, { source: file.name, title: "Trains" });
        await agent.conversations.append("talk", [{ role: v1.MessageRole.USER, content: "Hello" }]);
        const composed = await agent.compose({ conversationId: "talk", sections: [{ notes: {} }, { messages: {} }] });
        const kept = await agent.withScope("task", (scope) => scope.set("in", 1).then(() => scope.get("plan")));
        const keys = [];
        for await (const entry of agent.entries()) keys.push(entry.key);
        const cache = await agent.nearCache();
        const near = cache.peek("made");
        await cache.close();
        return [typeof revision, String(plan.steps[1]), count, made, recalled, note.title, goal, title,
          composed.messages.map(({ content }) => content).join("|"), kept.steps[0], keys, near];
        """,
    )
    text = found.pop(8)
    assert "Be brief." in text
    assert "Hello" in text
    assert found == [
        *("bigint", "9007199254740993", 1, "once", "Ann likes tea.", "Tone", "Tea party", "Trains", 1),
        *(["made", "plan", "visits"], "once"),
    ]


def test_errors_and_signals_are_those_of_the_package(page: "Page", called: Daemon, agent_id: str) -> None:
    found = evaluated(
        page,
        f"http://{called.address}",
        agent_id,
        """
        const refused = async (call) => call.then(() => "none", (error) => [error.name, error.reason, error.code]);
        const end = new AbortController();
        const minute = { seconds: 60n };
        const request = { agentId: agent.agentId, limit: 1, leaseDuration: minute, waitDuration: minute };
        const lease = (options) => client.stub(v1.FragmentService).leaseFragments(request, options);
        const waits = refused(lease({ signal: end.signal }));
        setTimeout(() => end.abort(), 10);
        const late = refused(lease({ timeoutMs: 10 }));
        await agent.set("taken", 1);
        return [await refused(agent.notes.get("none")), await refused(agent.set("taken", 2, { mustNotExist: true })),
          await refused(agent.set("", 1)), (await waits)[0], (await late)[0]];
        """,
    )
    assert found == [
        ["RecordNotFound", "ERROR_REASON_RECORD_NOT_FOUND", "NOT_FOUND"],
        ["RecordExists", "ERROR_REASON_RECORD_EXISTS", "ALREADY_EXISTS"],
        ["InvalidArgument", "ERROR_REASON_INVALID_FIELD", "INVALID_ARGUMENT"],
        "Cancelled",
        "DeadlineExceeded",
    ]


def test_a_watch_resumes_after_the_daemon_was_killed(page: "Page", origin: str, tmp_path: Path, agent_id: str) -> None:
    with closing(Daemon(tmp_path, "--http-origin", origin, "--embedder", "none")) as daemon:
        daemon.start()
        page.evaluate(
            """async ([target, agentId]) => {
              globalThis.client = memoryd.connect({ target, timeoutMs: 60_000 });
              globalThis.agent = client.agent(agentId);
              const watch = await agent.watch();
              globalThis.seen = (async () => {
                const keys = [];
                for await (const { subject } of watch) {
                  if (subject.case === "entry" && keys.push(subject.value.key) === 2) return [keys, watch.resumes > 0];
                }
              })();
              await agent.set("before", 1);
            }""",
            [f"http://{daemon.address}", agent_id],
        )
        daemon.kill()
        daemon.start()
        assert page.evaluate('agent.set("after", 2).then(() => seen)') == [["before", "after"], True]


def test_a_page_without_leave_gets_an_error_that_says_how_to_give_it(
    page: "Page", tmp_path: Path, agent_id: str
) -> None:
    with closing(Daemon(tmp_path, "--embedder", "none")) as daemon:
        daemon.start()
        found = page.evaluate(
            """([target, agentId]) => memoryd.connect({ target, connectTimeoutMs: 1 }).agent(agentId).get("k")
              .catch((error) => [error.name, error.message])""",
            [f"http://{daemon.address}", agent_id],
        )
    assert found[0] == "Unavailable"
    assert "--http-origin" in found[1]


def test_a_token_is_sent_and_no_cookie(page: "Page", origin: str, tmp_path: Path) -> None:
    (token,) = write_tokens(tmp_path / "tokens.toml", ROWS).values()
    flags = ("--token-file", str(tmp_path / "tokens.toml"), "--http-origin", origin, "--embedder", "none")
    with closing(Daemon(tmp_path, *flags)) as daemon:
        daemon.start()
        requests: list[Any] = []
        page.context.add_cookies([{"name": "session", "value": "stolen", "url": f"http://{daemon.address}"}])
        page.on("request", lambda request: requests.append(request))
        found = page.evaluate(
            """async ([target, right]) => {
              const read = (token) => memoryd.connect({ target, token }).agent("mine").set("k", 1)
                .then(() => "set", (error) => error.name);
              return [await read(right), await read(() => Promise.resolve(right)), await read("wrong"), await read()];
            }""",
            [f"http://{daemon.address}", token],
        )
        cookies = {request.all_headers().get("cookie") for request in requests}
    assert found == ["set", "set", "Unauthenticated", "Unauthenticated"]
    assert cookies == {None}
