"""The state of a session in its three scopes: the app's, the user's and the session's own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from google.adk.sessions.state import State
from pydantic_core import to_jsonable_python

from memoryd.adapter.listing import Flow
from memoryd.adapter.name import part
from memoryd.model.entry import Entry
from memoryd.protocol.entry import Place, get_many
from memoryd.transaction.transaction import Transaction

APP_KEY = "adk/app"


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of the state by scope, under their keys without prefixes. Temporary state is not stored."""

    app: dict[str, Any] = field(default_factory=dict)
    user: dict[str, Any] = field(default_factory=dict)
    session: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> "Changes":
        """Return the changes of a state whose keys have prefixes, as JSON values."""
        changes = cls()
        for key, value in to_jsonable_python(dict(state), fallback=str).items():
            if key.startswith(State.APP_PREFIX):
                changes.app[key.removeprefix(State.APP_PREFIX)] = value
            elif key.startswith(State.USER_PREFIX):
                changes.user[key.removeprefix(State.USER_PREFIX)] = value
            elif not key.startswith(State.TEMP_PREFIX):
                changes.session[key] = value
        return changes


class SharedState:
    """The state of an app and of its users, as entries of the app's agent."""

    def __init__(self, agent_id: str) -> None:
        self._place = Place(agent_id)

    def read(self, *user_ids: str) -> Flow[dict[str, Entry]]:
        """Return the entries of the app and of up to 900 users that have any state, by their keys."""
        entries: dict[str, Entry] = yield get_many(self._place, [APP_KEY, *map(_user_key, user_ids)], local_only=True)
        return entries

    def app(self, entries: Mapping[str, Entry]) -> dict[str, Any]:
        """Return the app's state."""
        return dict(entries[APP_KEY].value) if APP_KEY in entries else {}

    def user(self, entries: Mapping[str, Entry], user_id: str) -> dict[str, Any]:
        """Return a user's state."""
        key = _user_key(user_id)
        return dict(entries[key].value) if key in entries else {}

    def merged(self, session: Mapping[str, Any], entries: Mapping[str, Entry], user_id: str) -> dict[str, Any]:
        """Return the whole state that a session sees."""
        app = {f"{State.APP_PREFIX}{key}": value for key, value in self.app(entries).items()}
        user = {f"{State.USER_PREFIX}{key}": value for key, value in self.user(entries, user_id).items()}
        return {**session, **app, **user}

    def write(self, changes: Changes, entries: Mapping[str, Entry], user_id: str, transaction: Transaction) -> None:
        """Add the writes of changes to a transaction, which fails if the entries have changed meanwhile."""
        for key, changed, owner in ((APP_KEY, changes.app, ""), (_user_key(user_id), changes.user, user_id)):
            if changed:
                entry = entries.get(key)
                value = {**(entry.value if entry else {}), **changed}
                transaction.set(key, value, user_id=owner, expected_revision=entry.revision if entry else 0)


def _user_key(user_id: str) -> str:
    return f"adk/user/{part(user_id)}"
