"""The rules of Chat Completions: what it refuses.

Where a rule has a public source, that is a thread on github.com: owner/repository#number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import attrs

import agentmsg as am
from agentmsg.formats import is_mapping, is_marked, natives
from agentmsg.formats.sending import (
    PAIRING,
    Change,
    Edit,
    Insert,
    Mending,
    Move,
    Path,
    Remove,
    Request,
    SendingRule,
    calls_of,
    limits,
    usual,
)
from agentmsg_codecs.openai.names import FAMILY
from agentmsg_codecs.openai.places import is_thinking_field, place_of
from agentmsg_codecs.openai.reasoning import needs_reasoning
from agentmsg_codecs.openai.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LONGEST_ID, _MOST_OF_ID, _LONGEST_NAME = 40, 64, 64
_NAME = re.compile(rf"[^\s<|\\/>]{{1,{_LONGEST_NAME}}}")
_ROLES = ("assistant", "developer", "function", "system", "tool", "user")
_NO_NAME = re.compile(r"[\s<|\\/>]")


def _no_messages(request: Request) -> Iterator[Path]:
    if all(map(request.leaves_out, request.messages)):
        yield ("messages",)


def _empty_messages(request: Request) -> Iterator[Path]:
    for index, message in enumerate(request.messages):
        if message.role in ("user", "assistant") and not message.content:
            yield ("messages", index)


_LONG_IDS = usual.id_characters(f"ids have at most {_MOST_OF_ID} characters", least=0, longest=_MOST_OF_ID)
_OLD_IDS = usual.id_characters(
    f"some models take ids of at most {_LONGEST_ID} characters", least=0, longest=_LONGEST_ID, severity="warning"
)


def _between(request: Request) -> Iterator[Path]:
    """Yield the ids that only some models take."""
    longer = set(_LONG_IDS.find(request))
    return (path for path in _OLD_IDS.find(request) if path not in longer)


def _message_names(request: Request) -> Iterator[Path]:
    for index, message in enumerate(request.messages):
        if message.name is not None and message.role not in ("tool", "native") and not _NAME.fullmatch(message.name):
            yield ("messages", index, "name")


def _file_links(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.FileBlock):
        if isinstance(block.source, am.URLSource):
            yield ("messages", index, "content", at, "source")


# Whether another server gets the request: those that speak alike take more.
_is_elsewhere = limits.of_others(r"(ft:)?(gpt-(?!oss)|chatgpt|o\d|codex|computer-use)")


def _natives(request: Request) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the objects that only this format knows, as they will be written."""
    for index, at, block in request.blocks(am.NativeBlock):
        if block.codec == FAMILY and is_mapping(block.value) and not _is_elsewhere(request):
            yield ("messages", index, "content", at), block.value


def _odd_roles(request: Request) -> Iterator[Path]:
    for path, value in _natives(request):
        if request.messages[int(path[1])].role == "native" and value.get("role") not in _ROLES:
            yield path


def _nameless(request: Request) -> Iterator[Path]:
    """Yield tools, calls and messages of functions without a name."""
    for index, tool in enumerate(request.history.tools):
        if isinstance(tool, am.NativeTool) and tool.codec == FAMILY and _lacks_name(tool.value):
            yield ("tools", index)
    for path, value in _natives(request):
        if _lacks_name(value) or (value.get("role") == "function" and not value.get("name")):
            yield path


def _lacks_name(value: Any) -> bool:
    function = value.get("function") if is_mapping(value) and value.get("type") == "function" else None
    return is_mapping(function) and not function.get("name")


def _empty_tools(request: Request) -> Iterator[Path]:
    is_empty = natives.extras_of(request.history, FAMILY).get("tools") == []
    if is_empty and not request.history.tools and not _is_elsewhere(request):
        yield ("extras",)


def _odd_images(request: Request) -> Iterator[Path]:
    """Yield the images that aren't a user's, as they were read: ``encode`` writes no others."""
    for index, at, block in request.blocks(am.ImageBlock, am.ToolResultBlock, am.NativeBlock):
        path: Path = ("messages", index, "content", at)
        role = request.messages[index].role
        if isinstance(block, am.ToolResultBlock):
            yield from ((*path, "content", k) for k, one in enumerate(block.content) if _is_read(one))
        elif isinstance(block, am.NativeBlock):
            if role in usual.PROMPTS and _link_in(block) is not None:
                yield path
        elif role == "assistant" and _is_read(block):
            yield path


def _link_in(block: am.NativeBlock) -> str | None:
    """Return the link of an image where none is read: in instructions."""
    value: Any = block.value if block.codec == FAMILY and is_mapping(block.value) else {}
    held = value.get("image_url") if value.get("type") == "image_url" else None
    link = held.get("url") if is_mapping(held) else None
    return link if isinstance(link, str) else None


def _is_read(block: Any) -> bool:
    return isinstance(block, am.ImageBlock) and is_marked(block, FAMILY, "/odd")


def _sounds(request: Request) -> Iterator[Path]:
    for index, at, _ in request.blocks(am.AudioBlock):
        if request.messages[index].role == "user":
            yield ("messages", index, "content", at)


def _reasoning_missing(request: Request) -> Iterator[Path]:
    """Yield the messages with calls whose thinking isn't written, unless the model is known to need none."""
    thinking, settings = getattr(request.codec, "thinking", "auto"), request.history.settings
    if thinking not in ("auto", "drop") or needs_reasoning(settings and settings.model) is False:
        return
    called = {int(path[1]) for path, _ in calls_of(request)}
    lost = {
        index
        for index, _, block in request.blocks(am.ThinkingBlock)
        if index in called and block.thinking and is_thinking_field(block) and place_of(block, None) is None
    }
    yield from (("messages", index) for index in sorted(lost))


# -- mends ------------------------------------------------------------------------------------------------------------


def _shown_by_user(mending: Mending) -> Iterator[Edit]:
    """Let a user show the images, after the turn; those inside results are in a message behind the results."""
    request = mending.request
    for path in mending.paths:
        block: Any = request.messages[int(path[1])].content[int(path[3])]
        if path[5:]:
            shown = am.Msg("user", [block.content[int(path[5])]], id=None, created_at=None)
            yield Remove(path, "annotation")
            yield Insert(request.pairing.after_run(int(path[1])), shown)
        else:
            if isinstance(block, am.NativeBlock):
                yield Change(path, am.ImageBlock(am.URLSource(_link_in(block) or "")))
            yield Move(path, request.pairing.after_results(path), "user")


def _without_tools(mending: Mending) -> Iterator[Edit]:
    yield Change(("extras",), usual.without_extra(mending.request.history, FAMILY, "tools"))


def _renamed(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        name = mending.request.messages[int(path[1])].name or ""
        yield Change(path, _NO_NAME.sub("_", name)[:_LONGEST_NAME] or "_")


# As the API's errors say: "Invalid 'temperature': decimal above maximum value", "Invalid 'stop': array too long.
# Expected an array with maximum length 4", "'parallel_tool_calls' is only allowed when 'tools' are specified",
# "'messages' must contain the word 'json' in some form", "Invalid 'response_format.json_schema.name': string does not
# match pattern", "'top_p' is not supported with this model", "'temperature' does not support 0.2 with this model".
LIMITS = (
    limits.between("max_tokens", 1),
    *SETTINGS.ranges(),
    limits.between("top_p", 0, 1),
    *limits.fixed_sampling(r"(o\d|gpt-[5-9])(?!.*chat)"),
    limits.few_stops(4),
    *limits.offered_tools(FAMILY, "parallel_tool_calls"),
    limits.known_choice(FAMILY),
    limits.format_names(_LONGEST_NAME),
    limits.json_word(family=FAMILY),
)
RULES = (
    # "Invalid 'messages': empty array" (CopilotKit/CopilotKit#529); the schema wants a model.
    SendingRule("no-messages", _no_messages, "there is no message", "add a message"),
    SETTINGS.needs("model"),
    *LIMITS,
    # Recorded requests with an empty text were answered; an empty list is refused.
    usual.empty_messages(find=_empty_messages, severity="warning"),
    # "messages with role 'tool' must have a 'tool_call_id'" (langchain-ai/langchain#22600), and the schema requires
    # ids. "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'", "An assistant
    # message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'" (sdcb/chats#132).
    usual.missing_ids(FAMILY),
    usual.duplicate_ids(in_message=True, longest=_LONGEST_ID),
    # The API said "Invalid 'messages[10].tool_calls[0].id': string too long. Expected a string with maximum length 40"
    # (agno-agi/agno#5382); later, 51 were answered (vercel/ai#17233), and the limit was 64 (openclaw/openclaw#875).
    _LONG_IDS,
    attrs.evolve(_OLD_IDS, find=_between),
    *PAIRING,
    # Recorded by many clients of DeepSeek V4, MiMo and Kimi.
    SendingRule(
        "reasoning-missing",
        _reasoning_missing,
        "some models refuse a tool call without the thinking before it",
        "write it with the option thinking=reasoning_content",
        severity="warning",
    ),
    usual.data_encoding(),
    # The schema's roles, and the names that it requires. "Invalid 'tools': empty array. Expected an array with minimum
    # length 1" (continuedev/continue#3403). Recorded: another server took an empty list.
    SendingRule("message-role", _odd_roles, f"roles are {', '.join(_ROLES)}", "give it one of these roles"),
    SendingRule("tool-name", _nameless, "a function has no name", "give it its name"),
    SendingRule("empty-tools", _empty_tools, "the list of tools is empty", "leave it out", mend=_without_tools),
    # The API said "Invalid 'tools[0].function.name': string does not match pattern. Expected ... '^[a-zA-Z0-9_-]+$'"
    # (CherryHQ/cherry-studio#2895), "string too long. Expected a string with maximum length 64"
    # (mrexodia/ida-pro-mcp#129); "Invalid 'messages[1].name': string does not match pattern", which had letters,
    # digits, _ and - then (microsoft/autogen#4157).
    usual.tool_names(_LONGEST_NAME),
    SendingRule(
        "message-name",
        _message_names,
        f"names have 1 to {_LONGEST_NAME} characters, no white space and none of < | \\ / >",
        "replace the characters",
        mend=_renamed,
    ),
    usual.arguments("the arguments are no JSON object", besides="custom"),
    # OpenAI refuses links (recorded); servers that speak alike fetch them (recorded, too).
    SendingRule(
        "media-type", _file_links, "files are given as data, not as a link", "fetch the file", severity="warning"
    ),
    # "Image URLs are only allowed for messages with role 'user', but this message with role 'assistant' contains an
    # image URL" (openai/openai-node#1030); so said of results, too, which newer models answer without seeing them
    # (openai/openai-openapi#523). Servers that speak alike take both.
    SendingRule(
        "media-place",
        lambda request: () if _is_elsewhere(request) else (path for path in _odd_images(request) if not path[5:]),
        "only users show images",
        "let the user show it",
        mend=_shown_by_user,
    ),
    SendingRule(
        "media-place",
        lambda request: () if _is_elsewhere(request) else (path for path in _odd_images(request) if path[5:]),
        "models don't see images in results",
        "let the user show it",
        mend=_shown_by_user,
        severity="warning",
    ),
    SendingRule("media-place", _sounds, "only some models take audio", "leave out the audio", severity="warning"),
    *usual.object_schemas("oneOf", "anyOf", "allOf", "enum", "not", is_answer_object=True),
    usual.strict_schemas(),
    # "Invalid 'tools': array too long. Expected an array with maximum length 128" (zed-industries/zed#42393).
    usual.too_many_tools(128),
)
