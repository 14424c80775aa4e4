"""An agent whose model is scripted: it remembers what it is told. Run by its test, in a process that may be killed.

Arguments: the daemon's address, the thread, what the user says ("-" goes on where the thread was broken off), and the
step at which the process kills itself.
"""

import os
import signal
import sys
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.store.base import BaseStore

from memoryd.langgraph import MemorydSaver, MemorydStore

address, thread_id, said, fatal_step = sys.argv[1:]
FACTS = ("facts", "ada")


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def dies_at(step: str) -> None:
    if step == fatal_step:
        os.kill(os.getpid(), signal.SIGKILL)


def learn(state: State, *, store: BaseStore) -> dict[str, Any]:
    text = str(state["messages"][-1].content)
    if text.startswith("remember "):
        store.put(FACTS, str(len(store.search(FACTS))), {"text": text.removeprefix("remember ")})
    dies_at("learn")
    return {}


def answer(state: State, *, store: BaseStore) -> dict[str, Any]:
    dies_at("answer")
    facts = sorted(item.value["text"] for item in store.search(FACTS))
    told = [message.content for message in state["messages"] if isinstance(message, HumanMessage)]
    return {"messages": [AIMessage(f"told {told}, know {facts}")]}


graph = StateGraph(State)
graph.add_node("learn", learn)
graph.add_node("answer", answer)
graph.add_edge(START, "learn")
graph.add_edge("learn", "answer")
graph.add_edge("answer", END)

with MemorydSaver(address) as saver, MemorydStore(address) as store:
    app = graph.compile(checkpointer=saver, store=store)
    given = None if said == "-" else {"messages": [HumanMessage(said)]}
    answered = app.invoke(given, {"configurable": {"thread_id": thread_id}}, durability="sync")
    sys.stdout.write(answered["messages"][-1].content)
