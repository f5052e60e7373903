"""What the tables share: what an issuer is, and the parts of calls and results, with options.

Keys that a client has no place for are options that it passes over; what isn't one of the provider's parts is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Unreadable, dump_json, is_list, is_mapping, natives, speed
from agentmsg_codecs.vercel.names import OPTIONS, PROVIDER_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Issuer(speed.Record):
    """How the client of a provider keeps its answers.

    Attributes:
        codec: of the provider's parts.
        provider: the provider, as messages say, and its key among the options.
        api: which of its APIs, if it has several.
        is_own: whether a block has a form of its own here; others are kept as those of anybody.
        is_kept: whether a block that was read has such a form.
        into: parts of the SDK, of parts of the provider, their blocks, and the calls of the message by id.
        back: parts of the provider, of parts of the SDK.
        linked: blocks of these parts of the provider, with what they need of the SDK's parts.
        makes: whether a call of a server tool has a shape that only this client makes, where nothing else need tell.
        into_fully: the same with all that the client has no place for, where the first doesn't come back.
        asks: whether its answers ask a person whether a server tool may be called; such a request goes with its call.
    """

    codec: str
    provider: str
    api: str | None
    is_own: Callable[[Any], bool]
    is_kept: Callable[[Any], bool]
    into: Callable[[list[Native], Sequence[Any], Mapping[Any, Any]], list[Native]]
    back: Callable[[list[Native]], list[Native]]
    linked: Callable[[Sequence[Any], list[Native]], list[Any]] = lambda blocks, _: list(blocks)
    makes: Callable[[Any], bool] = lambda _: False
    into_fully: Callable[[list[Native], Sequence[Any], Mapping[Any, Any]], list[Native]] | None = None
    asks: bool = False


def is_server(block: Any, provider: str) -> bool:
    """Whether a block is a call or result of a tool that a provider runs."""
    is_tool = type(block) is am.ToolUseBlock or type(block) is am.ToolResultBlock
    return is_tool and block.kind == "server" and block.provider in (provider, None)


def has_options(block: Any, key: str) -> bool:
    """Whether a block that was read has a provider's options beside its fields."""
    return natives.has_extra(block, OPTIONS, key)


def with_options(key: str, options: Native) -> Native:
    """Return the key with a provider's options; nothing if there are none."""
    return {PROVIDER_OPTIONS: {key: options}} if options else {}


def options_of(part: Native, key: str) -> Native:
    """Return a copy of a part's options for a provider."""
    return {**part.get(PROVIDER_OPTIONS, {}).get(key, {})}


def call_part(link: Any, name: str, given: Any, options: Native, *, is_run: bool = True) -> Native:
    """Return the part of a call."""
    run = {"providerExecuted": True} if is_run else {}
    return {"type": "tool-call", "toolCallId": link, "toolName": name, "input": given, **run, **options}


def result_part(link: Any, name: str, value: Any, options: Native, *, has_failed: bool = False) -> Native:
    """Return the part of a result in an answer, whose output is JSON."""
    output = {"type": "error-json" if has_failed else "json", "value": value}
    return {"type": "tool-result", "toolCallId": link, "toolName": name, "output": output, **options}


def value_of(part: Native) -> Any:
    """Return the JSON of a result.

    Raises:
        Unreadable: if its output is another.
    """
    output = part["output"]
    if output["type"] not in ("json", "error-json"):
        raise Unreadable
    return output["value"]


def renamed(value: Any, names: Native) -> Any:
    """Return JSON with other keys, in the same order."""
    if is_mapping(value):
        return {names.get(key, key): renamed(item, names) for key, item in value.items()}
    return [renamed(item, names) for item in value] if is_list(value) else value


def renamed_keys(native: Native, names: Native) -> Native:
    """Return an object in which some keys have other names."""
    return {names.get(key, key): value for key, value in native.items()}


def inverse(names: Native) -> Native:
    """Return names the other way round."""
    return {value: key for key, value in names.items()}


def made_link(start: str, seed: Any) -> str:
    """Return an id for a call that has none; the same for the same, so that it needs no place."""
    from hashlib import sha256  # noqa: PLC0415 - few answers need it

    return start + sha256(dump_json(seed)).hexdigest()[:16]
