"""Tools that several providers run, and what each calls them.

Two tools are the same if a model can do the same with them: search the web, read a page at an address, run code in a
sandbox. What a tool is told besides converts where both have a word for it. These aren't the same anywhere:

- tools with the provider's own data, such as searches in its files, its memories and its maps;
- tools that the client runs, whose calls have other inputs at each provider (computers, shells, editors);
- MCP servers: with Anthropic they aren't tools, but a parameter of their own, with the client's tokens;
- images: OpenAI's is a tool, and Google's are what a model itself writes;
- Chat Completions' ``web_search_options``: only models made for searching take it, and they always search;
- what Bedrock calls system tools: they belong to Amazon's models, not to the service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import agentmsg as am
from agentmsg.formats import Swap, adopt, is_mapping, is_sequence, natives

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_CLAUDE, _GOOGLE, _OPENAI = "anthropic", "gemini", "openai-responses"


class _Hosted(NamedTuple):
    """What a provider calls a tool.

    Attributes:
        value: the tool as it is written for others.
        words: the beginnings of its type, or its only key.
        options: what it may be told besides: the shared word, by the path to it.
        untold: options that say what others mean by saying nothing.
    """

    value: Mapping[str, Any]
    words: tuple[str, ...]
    options: Mapping[str, str] = {}
    untold: Mapping[str, Any] = {}


# By tool and family.
_TOOLS: Mapping[str, Mapping[str, _Hosted]] = {
    "web_search": {
        _CLAUDE: _Hosted(
            {"type": "web_search_20250305", "name": "web_search"},
            ("web_search_",),
            {
                "allowed_domains": "allowed_domains",
                "blocked_domains": "blocked_domains",
                "user_location": "user_location",
            },
        ),
        _GOOGLE: _Hosted(
            {"googleSearch": {}},
            ("googleSearch", "google_search"),
            {"googleSearch.excludeDomains": "blocked_domains", "google_search.exclude_domains": "blocked_domains"},
        ),
        _OPENAI: _Hosted(
            {"type": "web_search"},
            ("web_search",),
            {"filters.allowed_domains": "allowed_domains", "user_location": "user_location"},
            # Without a place, OpenAI takes the user to be in the United States (the SDK's words of the parameter).
            {"user_location": {"type": "approximate"}},
        ),
    },
    "code_execution": {
        _CLAUDE: _Hosted({"type": "code_execution_20250825", "name": "code_execution"}, ("code_execution_",)),
        _GOOGLE: _Hosted({"codeExecution": {}}, ("codeExecution", "code_execution")),
        _OPENAI: _Hosted({"type": "code_interpreter", "container": {"type": "auto"}}, ("code_interpreter",)),
    },
    "web_fetch": {
        _CLAUDE: _Hosted({"type": "web_fetch_20250910", "name": "web_fetch"}, ("web_fetch_",)),
        _GOOGLE: _Hosted({"urlContext": {}}, ("urlContext", "url_context")),
    },
}


def same_in(family: str) -> Callable[[am.NativeTool], Swap | None]:
    """Return the function that returns a family's own tool for another's that is the same; None if there is none."""
    return lambda tool: _same(tool, family)


def _same(tool: am.NativeTool, family: str) -> Swap | None:
    value: Any = tool.value
    for known in _TOOLS.values():
        theirs, ours = known.get(tool.codec), known.get(family)
        if theirs is not None and ours is not None and is_mapping(value) and _is_one(value, theirs):
            return _converted(value, theirs, ours, family)
    return None


def _is_one(value: Mapping[str, Any], hosted: _Hosted) -> bool:
    kind = value.get("type") if "type" in hosted.value else next(iter(value), None)
    is_whole = "type" in hosted.value or len(value) == 1
    return is_whole and isinstance(kind, str) and kind.startswith(hosted.words)


def _converted(value: Mapping[str, Any], theirs: _Hosted, ours: _Hosted, family: str) -> Swap:
    """Return our tool, and what of theirs it can't be told."""
    rest: Any = am.thaw(value)
    said: dict[str, Any] = {}
    for path, word in theirs.options.items():
        option = natives.value_at(rest, path.split("."))
        if option is not natives.NOTHING and word in ours.options.values() and _is_sound(option):
            said.setdefault(word, option)
            rest = natives.without(rest, path.split("."))
    new: Any = {**am.thaw(adopt(ours.value))}
    for path, word in ours.options.items():
        option = said.pop(word, ours.untold.get(word))
        if option is not None:
            new = natives.merged(new, natives.nested(path.split("."), option))
    lost = sorted(_lost(rest, theirs))
    why = f"this is {family}'s tool for the same"
    if lost:
        return Swap(am.NativeTool(family, new), f"{why}, without {', '.join(lost)}", "setting")
    return Swap(am.NativeTool(family, new), why, "annotation")


def _is_sound(option: Any) -> bool:
    """Whether an option is a list of texts, or an object of texts."""
    held = option.values() if is_mapping(option) else option if is_sequence(option) else (None, 0)
    return all(item is None or isinstance(item, str) for item in held)


def _lost(rest: Any, hosted: _Hosted) -> set[str]:
    """Return the keys that say more than the tool without options."""
    if "type" in hosted.value:
        known = {"type", "name"}
        return {key for key, value in rest.items() if key not in known and value and value != hosted.value.get(key)}
    inner = next(iter(rest.values()), None)
    return {key for key, value in inner.items() if value is not None} if is_mapping(inner) else set()
