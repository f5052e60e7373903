"""The rules of the Responses API: what it refuses."""

from __future__ import annotations

from mimetypes import guess_type
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import natives
from agentmsg.formats.sending import (
    PAIRING,
    Path,
    Request,
    SendingRule,
    clearing,
    limits,
    removing,
    usual,
)
from agentmsg_codecs.openai_responses.names import FAMILY, PREFIXES
from agentmsg_codecs.openai_responses.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_LONGEST_ID = 64
_UNREADABLE = ("audio/", "video/")
# The items before are held by what a request refers to.
_BEFORE = ("conversation", "previous_response_id")
_PREFIX_OF: Mapping[type[Any], Callable[[Any], str]] = {
    am.TextBlock: lambda _: PREFIXES["message"],
    am.RefusalBlock: lambda _: PREFIXES["message"],
    am.ThinkingBlock: lambda _: PREFIXES["reasoning"],
    am.ToolUseBlock: lambda block: PREFIXES["custom" if block.kind == "custom" else "call"],
}


def _goes_on(request: Request) -> bool:
    own = natives.extras_of(request.history, FAMILY)
    return any(own.get(key) is not None for key in _BEFORE)


def _no_messages(request: Request) -> Iterator[Path]:
    if (
        not request.messages
        and not _goes_on(request)
        and natives.extras_of(request.history, FAMILY).get("prompt") is None
    ):
        yield ("messages",)


def _paired(rule: SendingRule) -> SendingRule:
    """Return a rule of calls and results for requests that hold both: what went before may be held elsewhere."""

    def find(request: Request) -> Iterable[Path]:
        if _goes_on(request):
            return ()
        # The client may run a search for tools, and answer it like a function.
        served = {block.id for _, _, block in request.blocks(am.ToolUseBlock) if block.kind == "server"}
        return (path for path in rule.find(request) if not served or _link_at(request, path) not in served)

    return SendingRule(rule.code, find, rule.message, rule.fix, mend=rule.mend, severity=rule.severity)


def _link_at(request: Request, path: Path) -> Any:
    block = request.messages[int(path[1])].content[int(path[3])]
    return getattr(block, "tool_call_id", None)


def _item_ids(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(*_PREFIX_OF):
        link = block.item_id
        if link is None or request.messages[index].role != "assistant" or getattr(block, "kind", "") == "server":
            continue
        if not link.startswith(_PREFIX_OF[type(block)](block)) or len(link) > _LONGEST_ID:
            yield ("messages", index, "content", at, "item_id")


def _lonely_reasoning(request: Request) -> Iterator[Path]:
    """Yield the reasoning with an id that nothing of the assistant's follows."""
    messages = request.messages
    for index, at, block in request.blocks(am.ThinkingBlock):
        if block.item_id is None or any(type(other) is not am.ThinkingBlock for other in messages[index].content[at:]):
            continue
        is_followed = index + 1 < len(messages) and messages[index + 1].role == "assistant"
        if messages[index].role == "assistant" and not is_followed:
            yield ("messages", index, "content", at)


def _odd_files(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.FileBlock, am.ToolResultBlock):
        path: Path = ("messages", index, "content", at)
        inner = block.content if isinstance(block, am.ToolResultBlock) else ()
        if isinstance(block, am.FileBlock) and _is_unreadable(block):
            yield path
        yield from ((*path, "content", k) for k, one in enumerate(inner) if _is_unreadable(one))


def _is_unreadable(block: Any) -> bool:
    if not isinstance(block, am.FileBlock):
        return False
    source = block.source
    kind = guess_type(source.url)[0] if isinstance(source, am.URLSource) else getattr(source, "media_type", None)
    return (kind or "").startswith(_UNREADABLE)


# As the API's errors say: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16", "Tool
# choice 'required' must be specified with 'tools' parameter", "Tool choice '...' not found in 'tools' parameter",
# "Response input messages must contain the word 'json' in some form".
LIMITS = (
    limits.between("max_tokens", 16),
    *SETTINGS.ranges(),
    limits.between("top_p", 0, 1),
    *limits.fixed_sampling(r"(o\d|gpt-[5-9])(?!.*chat)"),
    *limits.offered_tools(FAMILY, words=("required",), inside=(am.ToolsBlock,)),
    limits.known_choice(FAMILY, inside=(am.ToolsBlock,)),
    limits.format_names(64),
    limits.json_word(*_BEFORE, "prompt", family=FAMILY),
)
RULES = (
    SendingRule("no-messages", _no_messages, "there is no input", "add a message"),
    SETTINGS.needs("model"),
    *LIMITS,
    SendingRule(
        "item-id",
        _item_ids,
        f"the ids of items begin with their kind, and have at most {_LONGEST_ID} characters",
        "leave out the id",
        mend=clearing(),
        # Recorded: another server that speaks alike has ids of its own.
        severity="warning",
    ),
    SendingRule(
        "reasoning-alone",
        _lonely_reasoning,
        "nothing follows that came of this reasoning",
        "drop the reasoning",
        mend=removing("content"),
    ),
    usual.duplicate_ids(in_message=False, longest=_LONGEST_ID),
    usual.id_characters(f"ids have 1 to {_LONGEST_ID} characters", longest=_LONGEST_ID),
    # Results need not stand right behind their calls here.
    *(_paired(rule) for rule in PAIRING if rule.code != "result-late"),
    usual.data_encoding(),
    usual.tool_names(128),
    usual.arguments("the arguments are no JSON object", besides="custom"),
    # Recorded: files of sound in results were refused.
    SendingRule("media-type", _odd_files, "files of sound and video can't be read", "leave out the file"),
    *usual.object_schemas("oneOf", "anyOf", "allOf", "enum", "not", is_answer_object=True),
    usual.strict_schemas(FAMILY),
    usual.too_many_tools(128),
)
