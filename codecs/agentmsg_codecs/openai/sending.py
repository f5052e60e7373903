"""The rules of Chat Completions: what it refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import agentmsg as am
from agentmsg.formats.sending import (
    PAIRING,
    Change,
    Edit,
    Mending,
    Path,
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
    from collections.abc import Iterator

_LONGEST_ID, _LONGEST_NAME = 40, 64
_NAME = re.compile(rf"[^\s<|\\/>]{{1,{_LONGEST_NAME}}}")
_NO_NAME = re.compile(r"[\s<|\\/>]")


def _no_messages(request: Request) -> Iterator[Path]:
    if not request.messages:
        yield ("messages",)


def _empty_messages(request: Request) -> Iterator[Path]:
    for index, message in enumerate(request.messages):
        if message.role in ("user", "assistant") and not message.content:
            yield ("messages", index)


def _message_names(request: Request) -> Iterator[Path]:
    for index, message in enumerate(request.messages):
        if message.name is not None and message.role not in ("tool", "native") and not _NAME.fullmatch(message.name):
            yield ("messages", index, "name")


def _file_links(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.FileBlock):
        if isinstance(block.source, am.URLSource):
            yield ("messages", index, "content", at, "source")


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
    SendingRule("no-messages", _no_messages, "there is no message", "add a message"),
    SETTINGS.needs("model"),
    *LIMITS,
    # Recorded requests with an empty text were answered; an empty list is refused.
    usual.empty_messages(find=_empty_messages, severity="warning"),
    usual.duplicate_ids(in_message=True, longest=_LONGEST_ID),
    usual.id_characters(f"ids have at most {_LONGEST_ID} characters", least=0, longest=_LONGEST_ID),
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
    SendingRule("media-place", _sounds, "only some models take audio", "leave out the audio", severity="warning"),
    *usual.object_schemas("oneOf", "anyOf", "allOf", "enum", "not", is_answer_object=True),
    usual.strict_schemas(),
    usual.too_many_tools(128),
)
