"""An agent with a scripted model that stores facts. Its test runs it in a process, which may be killed.

Arguments: the daemon's address, the thread, the user's message ("-" continues an interrupted thread), and the step at
which the process kills itself.
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

address, thread_id, question, fatal_step = sys.argv[1:]
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
    heard = [message.content for message in state["messages"] if isinstance(message, HumanMessage)]
    return {"messages": [AIMessage(f"heard {heard}, know {facts}")]}


graph = StateGraph(State)
graph.add_node("learn", learn)
graph.add_node("answer", answer)
graph.add_edge(START, "learn")
graph.add_edge("learn", "answer")
graph.add_edge("answer", END)

with MemorydSaver(address) as saver, MemorydStore(address) as store:
    app = graph.compile(checkpointer=saver, store=store)
    given = None if question == "-" else {"messages": [HumanMessage(question)]}
    answered = app.invoke(given, {"configurable": {"thread_id": thread_id}}, durability="sync")
    sys.stdout.write(answered["messages"][-1].content)
