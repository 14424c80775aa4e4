"""Where the checkpoints of a thread are: an agent for each thread, and the keys in it.

::

    thread                                  the thread's id; written with each checkpoint
    checkpoint/NAMESPACE/ID/                a checkpoint; ids are turned around, so that the newest is listed first
    checkpoint/NAMESPACE/ID/write/TASK      what a task wrote after it
    blob/NAMESPACE/CHANNEL/VERSION          the value of a channel
"""

from memoryd.langgraph.name import part
from memoryd.protocol.entry import Place

THREAD = "thread"
CHECKPOINTS = "checkpoint/"

Version = str | int | float


def thread_place(agent_prefix: str, thread_id: str) -> Place:
    """Answer where a thread is."""
    return Place(agent_prefix + part(thread_id))


def namespace_prefix(checkpoint_ns: str) -> str:
    """Answer what the keys of a namespace's checkpoints begin with."""
    return f"{CHECKPOINTS}{part(checkpoint_ns)}/"


def checkpoint_key(checkpoint_ns: str, checkpoint_id: str) -> str:
    """Answer the key of a checkpoint, which those of its writes begin with."""
    return f"{namespace_prefix(checkpoint_ns)}{newest_first(checkpoint_id)}/"


def newest_first(checkpoint_id: str) -> str:
    """Answer a text that is the less the greater the id is."""
    # What ends an id is greater than the digits: an id comes after those that begin with it and are greater.
    return "".join(f"{255 - byte:02x}" for byte in checkpoint_id.encode()) + "~"


def write_key(checkpoint: str, task_id: str) -> str:
    """Answer the key of what a task wrote after the checkpoint of this key."""
    return f"{checkpoint}write/{part(task_id)}"


def blob_key(checkpoint_ns: str, channel: str, version: Version) -> str:
    """Answer the key of a channel's value."""
    return f"blob/{part(checkpoint_ns)}/{part(channel)}/{part(str(version))}"


def checkpoint_of(key: str) -> str:
    """Answer the key of the checkpoint to which an entry belongs, of which this is the key."""
    return "".join(f"{each}/" for each in key.split("/", 3)[:3])


def age_of(checkpoint: str) -> str:
    """Answer what tells the checkpoints of a namespace apart by age in their keys: the newest has the least."""
    return checkpoint.split("/")[2]


def document_of(key: str) -> str:
    """Answer the key of the blob to which an entry belongs, which is the blob itself or a piece of it."""
    return "/".join(key.split("/")[:4])
