"""A large commit, with the steps that are taken before and after it, between which others are carried out."""

from memoryd_server.stores.sqlite.commits.ahead import Ahead
from memoryd_server.stores.sqlite.commits.behind import Behind
from memoryd_server.stores.sqlite.commits.work import Outcome, Submission


class LargeCommit:
    """A large commit that is under way. ``outcomes`` has its outcome once it is committed.

    ``ahead`` and ``behind`` are None if there are no such steps. After a failure there are no more.
    """

    def __init__(self, submission: Submission, ahead: Ahead | None = None, behind: Behind | None = None) -> None:
        self.submission = submission
        self.ahead = ahead
        self.behind = behind
        self.outcomes: list[Outcome] | None = None

    @property
    def next_step(self) -> Ahead | Behind | None:
        """The step to be carried out next; None if that is the commit, or if there is nothing left."""
        step = self.ahead if self.outcomes is None else self.behind
        return None if step is None or step.is_done else step
