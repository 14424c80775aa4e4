"""The layout of a thread's checkpoints: an agent for each thread, with these keys.

::

    thread                                  the thread's id; written with each checkpoint
    checkpoint/NAMESPACE/ID/                a checkpoint; ids are inverted, so that the newest is listed first
    checkpoint/NAMESPACE/ID/write/TASK      the writes of a task after the checkpoint
    blob/NAMESPACE/CHANNEL/VERSION          the value of a channel
"""

from memoryd.adapter.name import part
from memoryd.protocol.entry import Place

THREAD = "thread"
CHECKPOINTS = "checkpoint/"

Version = str | int | float


def thread_place(agent_prefix: str, thread_id: str) -> Place:
    """Return the root of a thread's agent."""
    return Place(agent_prefix + part(thread_id))


def namespace_prefix(checkpoint_ns: str) -> str:
    """Return the prefix of the keys of a namespace's checkpoints."""
    return f"{CHECKPOINTS}{part(checkpoint_ns)}/"


def checkpoint_key(checkpoint_ns: str, checkpoint_id: str) -> str:
    """Return the key of a checkpoint, which is the prefix of the keys of its writes."""
    return f"{namespace_prefix(checkpoint_ns)}{newest_first(checkpoint_id)}/"


def newest_first(checkpoint_id: str) -> str:
    """Return the id encoded so that a greater id sorts first."""
    # "~" sorts after the digits, so that an id comes after the longer ids that begin with it.
    return "".join(f"{255 - byte:02x}" for byte in checkpoint_id.encode()) + "~"


def write_key(checkpoint: str, task_id: str) -> str:
    """Return the key of a task's writes after the checkpoint of this key."""
    return f"{checkpoint}write/{part(task_id)}"


def blob_key(checkpoint_ns: str, channel: str, version: Version) -> str:
    """Return the key of a channel's value."""
    return f"blob/{part(checkpoint_ns)}/{part(channel)}/{part(str(version))}"


def checkpoint_of(key: str) -> str:
    """Return the key of the checkpoint that an entry belongs to, by the entry's key."""
    return "".join(f"{each}/" for each in key.split("/", 3)[:3])


def age_of(checkpoint: str) -> str:
    """Return the part of a checkpoint's key that orders a namespace's checkpoints by age: the newest sorts first."""
    return checkpoint.split("/")[2]


def document_of(key: str) -> str:
    """Return the key of the blob that an entry is, or is a piece of, by the entry's key."""
    return "/".join(key.split("/")[:4])
