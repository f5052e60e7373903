"""Conversions, plain data to plain data: the converters, a check that all results mean the same, and the times."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

import agentmsg as am
from agentmsg.fitting.account import account
from agentmsg.fitting.fit import fit
from benchmarks.competitors import Missing
from benchmarks.conversations import chat_tools, recorded, support_chat
from benchmarks.section import Scale, Section, joined, two
from benchmarks.timing import Case, Times, do_each, interleave

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec

__all__ = ["BODIES", "CONVERTERS", "Convert", "conversions_section", "corpus_section", "enter_converter", "meaning"]

Convert = Callable[[dict[str, Any]], dict[str, Any]]

# The names in the report, and where the function is that converts.
CONVERTERS: Mapping[str, str] = {
    "agentmsg": "benchmarks.ours:to_anthropic",
    "by hand": "benchmarks.peers.by_hand:to_anthropic",
    "any-llm": "benchmarks.peers.with_any_llm:to_anthropic",
    "langchain-anthropic": "benchmarks.peers.with_langchain_anthropic:to_anthropic",
    "litellm": "benchmarks.peers.with_litellm:to_anthropic",
    "llm-babel": "benchmarks.peers.with_llm_babel:to_anthropic",
    "llm-rosetta": "benchmarks.peers.with_llm_rosetta:to_anthropic",
}
# What is converted, by measure.
BODIES: Mapping[str, Callable[[], dict[str, Any]]] = {
    "convert": lambda: {"messages": support_chat()},
    "with tools": lambda: {"messages": support_chat(), "tools": chat_tools()},
}
# One conversion is too short for a clock that is also used for whole processes.
_CONVERSATIONS = 25


def enter_converter(name: str, home: str) -> Convert | Missing:
    """Return a function after it has converted all bodies correctly, or the reason for having none."""
    module, _, attribute = home.partition(":")
    by_hand: Convert = import_module("benchmarks.peers.by_hand").to_anthropic
    try:
        convert: Convert = getattr(import_module(module), attribute)
    except ImportError as error:
        return Missing(name, f"not installed ({error})")
    except AttributeError as error:
        return Missing(name, f"another version of it is installed ({error})")
    try:
        for body in BODIES.values():
            assert meaning(convert(body())) == meaning(by_hand(body())), f"{name} made something else"
    except am.CodecLookupError as error:
        return Missing(name, str(error))
    return convert


def meaning(body: Mapping[str, Any]) -> list[Any]:
    """Return the meaning of an Anthropic body, whatever choices its writer had.

    A text may be alone or in a block, and empty keys may be present. Adjacent messages of one role are one turn, as for
    Anthropic.
    """
    messages = [{"role": "system", "content": body["system"]}, *body["messages"]]
    turns: list[Any] = [
        (role, [block for message in those for block in _blocks(message["content"])])
        for role, those in groupby(messages, key=lambda message: message["role"])
    ]
    return turns + [(tool["name"], tool["description"], tool["input_schema"]) for tool in body.get("tools") or ()]


def _blocks(content: Any) -> Iterator[Any]:
    if isinstance(content, str):
        yield ("text", content)
        return
    for block in cast("list[dict[str, Any]]", content):
        yield _KINDS[block["type"]](block)


_KINDS: Mapping[str, Callable[[dict[str, Any]], Any]] = {
    "image": lambda block: ("image", block["source"]),
    "text": lambda block: ("text", block["text"]),
    "tool_result": lambda block: ("tool_result", block["tool_use_id"], list(_blocks(block["content"]))),
    "tool_use": lambda block: ("tool_use", block["id"], block["name"], block["input"]),
}


def conversions_section(scale: Scale) -> Section:
    """Measure one conversion by all converters, with and without tools, and the share of our loss report."""
    found = {name: enter_converter(name, home) for name, home in CONVERTERS.items()}
    missing = tuple(each for each in found.values() if isinstance(each, Missing))
    times: dict[str, dict[str, Times]] = {}
    for measure, body in BODIES.items():
        cases = {
            name: Case(partial(_copies, body), partial(do_each, convert))
            for name, convert in found.items()
            if not isinstance(convert, Missing)
        }
        if measure == "convert" and "agentmsg" in cases:
            cases |= _reported()
        times[measure] = interleave(cases, scale.rounds)
    messages = _CONVERSATIONS * len(support_chat())
    rows = joined(*(two(measure, runs, messages) for measure, runs in times.items()))
    title = "OpenAI Chat to Anthropic, plain data, 20 messages with 5 tool calls; and with 10 tools"
    return Section(title, rows, missing, times)


def _reported() -> dict[str, Case]:
    """Return the timed cases of the loss report alone."""
    target = am.get_codec("anthropic")
    histories = partial(_copies, lambda: am.decode(support_chat(), "openai"))
    return {
        "loss report": Case(histories, partial(do_each, lambda history: account(fit(history, target)))),
        # No loss is spelt out before somebody looks, and the conversion above does not.
        "loss report, looked at": Case(
            histories, partial(do_each, lambda history: list(account(fit(history, target))))
        ),
    }


def _copies(make: Callable[[], Any]) -> list[Any]:
    return [make() for _ in range(_CONVERSATIONS)]


def corpus_section(scale: Scale) -> Section:
    """Measure the conversion of all recorded conversations of each of two formats into the other one."""
    rows: dict[str, dict[str, float]] = {}
    missing: tuple[Missing, ...] = ()
    for system, source, target in (("openai_chat", "openai", "anthropic"), ("anthropic", "anthropic", "openai")):
        name = f"{source} to {target}"
        try:
            bodies = recorded(system)
            convert = partial(_converted, am.get_codec(source), am.get_codec(target))
        except (FileNotFoundError, am.CodecLookupError) as error:
            missing = (*missing, Missing(name, str(error)))
            continue
        count = sum(len(body["messages"]) for body in bodies)
        times = interleave(
            {name: Case(partial(json.loads, json.dumps(bodies)), partial(do_each, convert))}, scale.rounds
        )
        rows |= two("convert", times, count)
        rows[name] |= {"documents": len(bodies), "messages": count, "rate": 1e6 / times[name].middle(count)}
    return Section("All recorded conversations, plain data", rows, missing)


def _converted(source: Codec, target: Codec, body: dict[str, Any]) -> Any:
    return am.convert(body, source, target).document
