"""Hints for caches, in the order in which providers read a request: tools, instructions, messages.

A hint may stand in a tool or block of the model, in one that only the provider knows, and for the request as a whole.
"""

from __future__ import annotations

from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

from agentmsg.formats.natives import extras_of
from agentmsg.formats.sending.edits import Change
from agentmsg.formats.sending.findings import SendingRule
from agentmsg.formats.sending.pairing import PROMPTS
from agentmsg.model.blocks import NativeBlock, ThinkingBlock, ToolResultBlock
from agentmsg.model.tools import ToolSpec
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentmsg.formats.sending.edits import Edit, Path
    from agentmsg.formats.sending.findings import Mending, Request

_LONG = "1h"


def _hints(request: Request, family: str, key: str | None) -> Iterator[tuple[Path, Any]]:
    """Yield the hints, each with the path of what has it.

    Args:
        request: the history.
        family: of the codec.
        key: of hints in native objects, and inside results; None if the format has neither.
    """
    for index, tool in enumerate(request.history.tools):
        hint = tool.cache if isinstance(tool, ToolSpec) else _native(tool, family, key)
        if hint is not None:
            yield ("tools", index), hint
    found: list[tuple[Path, Any]] = []
    for index, at, block in request.all_blocks():
        hint = _native(block, family, key) if isinstance(block, NativeBlock) else block.cache
        if hint is not None and not isinstance(block, ThinkingBlock):
            found.append((("messages", index, "content", at), hint))
    for index, at, block in request.blocks(ToolResultBlock) if key is not None else ():
        for k, one in enumerate(block.content):
            if one.cache is not None:
                found.append((("messages", index, "content", at, "content", k), one.cache))
    # What is inside a result comes before the end of the result.
    yield from sorted(found, key=lambda one: (*one[0][1:4:2], one[0][5] if one[0][5:] else inf))
    hint = extras_of(request.history, family).get(key) if key is not None else None
    if is_mapping(hint):
        yield ("extras",), hint


@cache
def _all_hints(family: str, key: str | None) -> Callable[[Request], tuple[tuple[Path, Any], ...]]:
    """Return the function that lists the hints of a request, for ``Request.once``: both rules look at them."""
    return lambda request: tuple(_hints(request, family, key))


def _native(owner: Any, family: str, key: str | None) -> Any:
    value = owner.value.get(key) if key is not None and owner.codec == family and is_mapping(owner.value) else None
    return value if is_mapping(value) else None


def _ttl(hint: Any) -> Any:
    return hint.get("ttl") if is_mapping(hint) else hint.ttl


def _changed(request: Request, path: Path, family: str, key: str | None, change: Callable[[Any], Any]) -> Change:
    """Return the edit of the hint of what is at a path; a changed hint of None is left out."""
    if path == ("extras",):
        own = dict(extras_of(request.history, family))
        return Change(path, {**request.history.extras, family: _with(own, key, change)})
    owner: Any = request.history
    for step in path:
        owner = owner[step] if isinstance(step, int) else getattr(owner, step)
    if not hasattr(owner, "cache"):
        return Change((*path, "value"), _with(dict(owner.value), key, change))
    # A block inside a result is replaced.
    new = change(owner.cache)
    return Change(path, owner.evolve(cache=new)) if path[5:] else Change((*path, "cache"), new)


def _with(native: dict[str, Any], key: Any, change: Callable[[Any], Any]) -> dict[str, Any]:
    new = change(native.pop(key))
    return native if new is None else {**native, key: new}


def cache_order(family: str, key: str | None = None) -> SendingRule:
    """Return the rule that what is kept for an hour comes before what is kept for less.

    Args:
        family: of the codec.
        key: of hints in native objects, and inside results; None if the format has neither.
    """

    def find(request: Request) -> Iterator[Path]:
        is_short = False
        for path, hint in request.once(_all_hints(family, key)):
            if _ttl(hint) != _LONG:
                is_short = True
            elif is_short:
                yield path

    def shorter(hint: Any) -> Any:
        return (
            {name: value for name, value in hint.items() if name != "ttl"}
            if is_mapping(hint)
            else hint.evolve(ttl=None)
        )

    def mend(mending: Mending) -> Iterator[Edit]:
        return (_changed(mending.request, path, family, key, shorter) for path in mending.paths)

    message = f"a cache hint with ttl {_LONG} comes after one with a shorter ttl"
    return SendingRule("cache-order", find, message, "shorten it", mend=mend)


def cache_count(most: int, family: str, key: str | None = None) -> SendingRule:
    """Return the rule for the maximum number of hints; arguments as for ``cache_order``.

    The hints that cover most stay: the last one of the tools, of the instructions, and the last ones of all messages.
    """

    def find(request: Request) -> Iterator[Path]:
        return (path for path, _ in request.once(_all_hints(family, key))[most:])

    def mend(mending: Mending) -> Iterator[Edit]:
        request = mending.request
        paths = [path for path, _ in request.once(_all_hints(family, key))]
        prompts = [path for path in paths if path[0] == "messages" and request.messages[int(path[1])].role in PROMPTS]
        kept = {*[path for path in paths if path[0] == "tools"][-1:], *prompts[-1:]}
        others = [path for path in paths if path not in kept]
        for path in others[: len(paths) - most]:
            yield _changed(request, path, family, key, lambda _: None)

    return SendingRule("cache-count", find, f"there are more than {most} cache hints", "drop the hint", mend=mend)
