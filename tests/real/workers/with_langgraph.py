"""Run graphs with LangGraph's own savers, and read their tables: each thread is what LangGraph says it is.

``python -m real.workers.with_langgraph FILE-OR-URL``, in the environment ``langgraph``
"""

from __future__ import annotations

import operator
import sqlite3
import sys
from contextlib import closing
from importlib import import_module
from typing import Any

import agentmsg as am
from agentmsg_codecs.langchain.langgraph import dumps_typed, load_threads

# Untyped: the checkers' environment doesn't have them, and types are made from values.
typing: Any = import_module("typing")
core: Any = import_module("langchain_core.messages")
graphs: Any = import_module("langgraph.graph")
reducers: Any = import_module("langgraph.graph.message")
channels: Any = import_module("langgraph.channels")
types: Any = import_module("langgraph.types")
jsonplus: Any = import_module("langgraph.checkpoint.serde.jsonplus")
stored: Any = import_module("langgraph.checkpoint.serde.types")


def _delta(frequency: int) -> Any:
    return channels.DeltaChannel(reducers._messages_delta_reducer, snapshot_frequency=frequency)


# By thread, what merges the messages of its graph.
GRAPHS: dict[str, Any] = {
    "plain": reducers.add_messages,
    "added": operator.add,
    "delta": _delta(100),
    "snapshots": _delta(3),
    "newest first": _delta(1),
}


def graph_of(reducer: Any, saver: Any) -> Any:
    """Return a graph of two steps: a response, and one that edits it, and after some rounds removes and replaces."""
    state = typing.TypedDict("state", {"messages": typing.Annotated[list[Any], reducer], "tags": Any})

    def respond(state: Any) -> Any:
        count = len(state["messages"])
        call = {"name": "f", "args": {"n": count}, "id": f"c{count}"}
        result = core.ToolMessage("5", tool_call_id=call["id"], artifact={"rows": {count}}, id=f"t{count}")
        return {"messages": [core.AIMessage("", tool_calls=[call], id=f"a{count}"), result], "tags": {"x"}}

    def edit(state: Any) -> Any:
        last = state["messages"][-1]
        edits: list[Any] = [core.AIMessage("edited", id=last.id)]
        if reducer is not operator.add and len(state["messages"]) > 5:
            edits.append(core.RemoveMessage(id=state["messages"][0].id))
        return {"messages": edits}

    builder = graphs.StateGraph(state)
    for name, node in (("respond", respond), ("edit", edit)):
        builder.add_node(name, node)
    builder.add_edge(graphs.START, "respond")
    builder.add_edge("respond", "edit")
    return builder.compile(checkpointer=saver, interrupt_before=["edit"] if reducer is GRAPHS["added"] else [])


def run(saver: Any) -> dict[str, list[Any]]:
    """Run the graphs, and return the messages of each thread's state."""
    found: dict[str, list[Any]] = {}
    for thread, reducer in GRAPHS.items():
        graph, config = graph_of(reducer, saver), {"configurable": {"thread_id": thread}}
        for number in range(4):
            graph.invoke({"messages": [core.HumanMessage(f"Hi {number}", id=f"h{number}")]}, config)
        if thread == "snapshots":
            graph.update_state(
                config, {"messages": types.Overwrite([core.HumanMessage("new", id="n")])}, as_node="edit"
            )
        found[thread] = graph.get_state(config).values["messages"]
    return found


def check(saver: Any, *connections: Any) -> None:
    """Compare the threads in the tables with what the saver and the graphs return."""
    states = run(saver)
    for connection in connections:
        read = dict(load_threads(connection))
        assert list(read) == sorted(states)
        for thread, history in read.items():
            compare(history, states[thread], saver.get_tuple({"configurable": {"thread_id": thread}}))
            assert dict(load_threads(connection, thread)) == {thread: history}


def compare(history: am.History, state: list[Any], kept: Any) -> None:
    """Compare a history with the messages of a state, and with the saver's tuple."""
    expected = am.decode(state, "langchain")
    assert [each.text for each in history] == [each.text for each in expected]
    assert [each.tool_results for each in history] == [each.tool_results for each in expected]
    back = jsonplus.JsonPlusSerializer().loads_typed(dumps_typed(history))
    values = back["checkpoint"]["channel_values"]
    found = values["messages"]
    assert (found.value if isinstance(found, stored._DeltaSnapshot) else found) == state
    if "messages" not in kept.checkpoint["channel_values"]:
        del values["messages"]  # they were in a delta channel
    written = [list(each) for each in kept.pending_writes]
    assert back == {**kept._asdict(), "pending_writes": written}


def main(place: str) -> None:
    """Check the saver of a place."""
    if "://" not in place:
        with import_module("langgraph.checkpoint.sqlite").SqliteSaver.from_conn_string(place) as saver:
            with closing(sqlite3.connect(place)) as connection:
                check(saver, connection, saver.conn)
            assert len(list(am.load_lines(place))) == len(GRAPHS)
        assert len(list(am.load_lines(place))) == len(GRAPHS)
        return
    url = place.replace("+psycopg", "")
    with import_module("langgraph.checkpoint.postgres").PostgresSaver.from_conn_string(url) as saver:
        saver.setup()
        with closing(import_module("psycopg").connect(url)) as connection:
            check(saver, connection, saver.conn)


if __name__ == "__main__":
    main(*sys.argv[1:])
