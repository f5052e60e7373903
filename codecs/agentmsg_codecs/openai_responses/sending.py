"""The rules of the Responses API: what it refuses.

Where a rule has a public source, that is a thread on github.com: owner/repository#number.
"""

from __future__ import annotations

import re
from mimetypes import guess_type
from typing import TYPE_CHECKING, Any

import attrs

import agentmsg as am
from agentmsg.formats import is_sequence, mark_of, marked, natives, note_of
from agentmsg.formats.sending import (
    PAIRING,
    Change,
    Edit,
    Mending,
    Path,
    Remove,
    Request,
    SendingRule,
    clearing,
    limits,
    removing,
    usual,
)
from agentmsg_codecs.openai_responses.names import FAMILY, PREFIXES
from agentmsg_codecs.openai_responses.rules import thinking_rule
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
        all(map(request.leaves_out, request.messages))
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

    return attrs.evolve(rule, find=find)


def _link_at(request: Request, path: Path) -> Any:
    block = request.messages[int(path[1])].content[int(path[3])]
    return getattr(block, "tool_call_id", None)


# -- items ------------------------------------------------------------------------------------------------------------

# Whether another server gets the request: some that speak alike are more lenient.
_is_elsewhere = limits.of_others(r"(ft:)?(gpt-(?!oss)|chatgpt|o\d|codex|computer-use)")
_REASONS = re.compile(r"(o\d|gpt-[5-9])(?!.*chat)")


def _said(request: Request, *classes: type) -> Iterator[tuple[Path, Any]]:
    """Yield what the assistant said, with paths."""
    for index, at, block in request.blocks(*classes):
        if request.messages[index].role == "assistant" and getattr(block, "kind", "") != "server":
            yield ("messages", index, "content", at), block


def _odd_ids(request: Request) -> Iterator[Path]:
    for path, block in _said(request, *_PREFIX_OF):
        link = block.item_id
        if link is not None and not (link.startswith(_PREFIX_OF[type(block)](block)) and len(link) <= _LONGEST_ID):
            yield (*path, "item_id")


def _odd_ids_elsewhere(request: Request) -> Iterable[Path]:
    return _odd_ids(request) if _is_elsewhere(request) else ()


def _unfounded_ids(request: Request) -> Iterator[Path]:
    """Yield the ids in turns of a model that reasons, without any reasoning."""
    model = limits.setting(request, "model")
    is_said = model is None or _REASONS.match(model) is not None
    if not is_said or limits.setting(request, "reasoning") == "off" or _goes_on(request):
        return
    is_kept, messages = thinking_rule("drop"), request.messages
    turns, founded = list[int](), set[int]()
    for message in messages:
        turns.append((turns[-1] if turns else 0) + (message.role == "user"))
    for path, block in _said(request, am.ThinkingBlock):
        if is_kept(block) is block:
            founded.add(turns[int(path[1])])
    for path, block in _said(request, *_PREFIX_OF):
        is_founded = type(block) is am.ThinkingBlock or turns[int(path[1])] in founded
        if not is_founded and block.item_id is not None and block.item_id.startswith(_PREFIX_OF[type(block)](block)):
            yield (*path, "item_id")


def _without_id(mending: Mending) -> Iterator[Edit]:
    """Leave out the ids; reasoning that has no payload is nothing without, and what came of it keeps no id either."""
    messages, found = mending.request.messages, set(mending.paths)
    for path in mending.paths:
        index, at = int(path[1]), int(path[3])
        content: tuple[Any, ...] = messages[index].content
        if type(content[at]) is not am.ThinkingBlock or content[at].signature is not None:
            yield Change(path, None)
            continue
        yield Remove(path[:-1], "content")
        for later in range(at + 1, len(content)):
            other = ("messages", index, "content", later, "item_id")
            if type(content[later]) is am.ThinkingBlock:
                break
            if content[later].item_id is not None and other not in found:
                yield Change(other, None)


def _has_status(block: Any) -> bool:
    return natives.has_extra(block, FAMILY, "status") or mark_of(block, FAMILY, "/done") is True


def _odd_reasoning(request: Request) -> Iterator[Path]:
    is_elsewhere = _is_elsewhere(request)
    for path, block in _said(request, am.ThinkingBlock):
        if mark_of(block, FAMILY, "/summary") is not None or (not is_elsewhere and _has_status(block)):
            yield path


def _as_input(mending: Mending) -> Iterator[Edit]:
    """Give reasoning the keys that it has in requests."""
    for path in mending.paths:
        block: Any = mending.request.messages[int(path[1])].content[int(path[3])]
        new = block.evolve(extras=usual.without_extra(block, FAMILY, "status"))
        if mark_of(block, FAMILY, "/summary") is not None or mark_of(block, FAMILY, "/done") is True:
            new = marked(new, FAMILY, summary=None, done=False)
        yield Change(path, new)


def _plain_reasoning(request: Request) -> Iterator[Path]:
    for path, block in _said(request, am.ThinkingBlock):
        if block.raw or natives.has_extra(block, FAMILY, "content"):
            yield path


def _odd_texts(request: Request) -> Iterator[Path]:
    """Yield the texts of others that are spelt like those of the assistant."""
    for index, at, block in request.blocks(am.TextBlock):
        spelt = note_of(block, FAMILY).get("type") if block.notes else None
        if is_sequence(spelt) and "output_text" in spelt and request.messages[index].role != "assistant":
            yield ("messages", index, "content", at)


def _plain_text(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        block: Any = mending.request.messages[int(path[1])].content[int(path[3])]
        yield Change(path, am.TextBlock(block.text, cache=block.cache, metadata=block.metadata))


def _grouped_reasoning(request: Request) -> Iterator[Path]:
    """Yield the reasoning right behind other reasoning: each belongs before the item that it produced."""
    for path, _ in _said(request, am.ThinkingBlock):
        index, at = int(path[1]), int(path[3])
        if at and type(request.messages[index].content[at - 1]) is am.ThinkingBlock:
            yield path


def _lonely_reasoning(request: Request) -> Iterator[Path]:
    """Yield the reasoning with an id that nothing of the assistant's follows."""
    messages = request.messages
    for path, block in _said(request, am.ThinkingBlock):
        index, at = int(path[1]), int(path[3])
        if block.item_id is None or any(type(other) is not am.ThinkingBlock for other in messages[index].content[at:]):
            continue
        if index + 1 == len(messages) or messages[index + 1].role != "assistant":
            yield path


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


_ITEM_ID = SendingRule(
    "item-id",
    lambda request: () if _is_elsewhere(request) else _odd_ids(request),
    f"the ids of items begin with their kind, and have at most {_LONGEST_ID} characters",
    "leave out the id",
    mend=_without_id,
)
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
    # Neither recorded nor documented: the schema requires no input.
    SendingRule("no-messages", _no_messages, "there is no input", "add a message", severity="warning"),
    SETTINGS.needs("model"),
    *LIMITS,
    # "Invalid 'input[371].id': '019f629b...'. Expected an ID that begins with 'msg'" (openai/codex#33176), "Invalid
    # 'input[2].id': ''" (langchain-ai/langchainjs#11044).
    _ITEM_ID,
    # Recorded: another server that speaks alike has ids of its own.
    attrs.evolve(_ITEM_ID, find=_odd_ids_elsewhere, severity="warning"),
    # The types of the schema.
    SendingRule(
        "text-type",
        _odd_texts,
        "only the assistant's texts are output_text",
        "make it input_text",
        mend=_plain_text,
    ),
    # "Unknown parameter: 'input[1].status'" (openai/openai-agents-python#3026), "Missing required parameter:
    # 'input[7].summary'" (AAswordman/Operit#797).
    SendingRule(
        "reasoning-keys",
        _odd_reasoning,
        "reasoning has a summary, which may be empty, and no status",
        "add the summary, leave out the status",
        mend=_as_input,
    ),
    # OpenAI's own clients blank it (lidge-jun/opencodex#4673); another server that speaks alike requires it (recorded).
    SendingRule(
        "reasoning-text",
        _plain_reasoning,
        "OpenAI takes reasoning without its words",
        "send the summary, or nothing",
        severity="warning",
    ),
    # "Item 'rs_...' of type 'reasoning' was provided without its required following item" (vercel/ai#7099); another
    # server answered (recorded).
    SendingRule(
        "reasoning-order",
        _grouped_reasoning,
        "reasoning stands right before the item that it produced",
        "put it there",
        severity="warning",
    ),
    # The API said "Item 'fc_...' of type 'function_call' was provided without its required 'reasoning' item: 'rs_...'"
    # (cline/cline#12242); where the model hadn't reasoned, such ids were accepted (recorded).
    SendingRule(
        "reasoning-missing",
        _unfounded_ids,
        "the id of an item needs the reasoning that the item came of, if there was any",
        "leave out the id",
        mend=clearing(),
        severity="warning",
    ),
    # The error above, also recorded (openai/openai-node#1567).
    SendingRule(
        "reasoning-alone",
        _lonely_reasoning,
        "nothing follows that came of this reasoning",
        "drop the reasoning",
        mend=removing("content"),
    ),
    # The schema requires ids. "Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64"
    # (AnswerDotAI/fastllm#45), "No tool output found for function call ..." (bytedance/trae-agent#245), "No tool call
    # found for function call output with call_id ..." (continuedev/continue#10092).
    usual.missing_ids(FAMILY),
    usual.duplicate_ids(in_message=False, longest=_LONGEST_ID),
    usual.id_characters(f"ids have 1 to {_LONGEST_ID} characters", longest=_LONGEST_ID),
    # Results need not stand right behind their calls here.
    *(_paired(rule) for rule in PAIRING if rule.code != "result-late"),
    usual.data_encoding(),
    # "Invalid 'tools[12].name': string does not match pattern" (anomalyco/opencode#7777). How many tools there may be
    # is known of Chat Completions only.
    usual.tool_names(128),
    usual.arguments("the arguments are no JSON object", besides="custom"),
    # Recorded: files of sound in results were refused.
    SendingRule("media-type", _odd_files, "files of sound and video can't be read", "leave out the file"),
    *usual.object_schemas("oneOf", "anyOf", "allOf", "enum", "not", is_answer_object=True),
    usual.strict_schemas(FAMILY),
    usual.too_many_tools(128, "warning"),
)
