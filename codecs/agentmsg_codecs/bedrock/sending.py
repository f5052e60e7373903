"""The sending rules: the requests that Converse refuses.

Where a rule has a public source, that is a thread on github.com: owner/repository#number.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import grouping, is_mapping, natives
from agentmsg.formats.sending import (
    PAIRING,
    Change,
    Edit,
    Mending,
    Path,
    Request,
    SendingRule,
    clearing,
    is_base64,
    limits,
    removing,
    usual,
)
from agentmsg_codecs.bedrock.names import DOCUMENTS, FAMILY, IMAGES, VIDEOS
from agentmsg_codecs.bedrock.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST, _LONGEST_TITLE = 64, 200
# Who speaks in the native message of a role.
_SIDES = {"user": "user", "tool": "user", "assistant": "assistant"}
_TITLE = re.compile(r"[a-zA-Z0-9()\[\]-]+(?: [a-zA-Z0-9()\[\]-]+)*")
_FORMATS = {"image": IMAGES, "document": DOCUMENTS, "video": VIDEOS}
_NO_TITLE = re.compile(r"[^a-zA-Z0-9()\[\]-]+")


def _empty_descriptions(request: Request) -> Iterator[Path]:
    for index, tool in enumerate(request.history.tools or ()):
        if isinstance(tool, am.ToolSpec) and tool.description == "":
            yield ("tools", index, "description")


def _is_document(block: Any) -> bool:
    """Whether a file is a document; search results have blocks, and a source instead of a name."""
    return isinstance(block, am.FileBlock) and not isinstance(block.source, am.BlocksSource)


def _is_title(name: str) -> bool:
    return len(name) <= _LONGEST_TITLE and _TITLE.fullmatch(name) is not None


def _document_names(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.FileBlock):
        if _is_document(block) and block.name is not None and not _is_title(block.name):
            yield ("messages", index, "content", at, "name")


def _wordless_documents(request: Request) -> Iterator[Path]:
    """Yield the first document of each run of user messages that has no text."""
    first: Path | None = None
    for index, message in enumerate((*request.messages, am.Msg("assistant", []))):
        if message.role != "user" or message.has(am.TextBlock):
            if first is not None and message.role != "user":
                yield first
            first = None
        if message.role == "user" and first is None and not message.has(am.TextBlock):
            places = (at for at, block in enumerate(message.content) if _is_document(block))
            first = next((("messages", index, "content", at) for at in places), None)


def _silent_failures(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.ToolResultBlock):
        if block.is_error and not (block.content or block.error or block.structured is not None):
            yield ("messages", index, "content", at)


def _empty_tools(request: Request) -> Iterator[Path]:
    config = natives.extras_of(request.history, FAMILY).get("toolConfig")
    if is_mapping(config) and config.get("tools") == [] and not request.tools_of(FAMILY):
        yield ("extras",)


def _odd_media(request: Request) -> Iterator[Path]:
    """Yield the media of a format that the service's model lacks: they are kept as they were read."""
    for index, at, block in request.blocks(am.NativeBlock):
        value = block.value if block.codec == FAMILY else None
        for key, formats in _FORMATS.items():
            medium = value.get(key) if is_mapping(value) else None
            if is_mapping(medium) and medium.get("format") not in formats:
                yield ("messages", index, "content", at)


def _odd_redacted(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.ThinkingBlock):
        if block.redacted is not None and not is_base64(block.redacted, "standard"):
            yield ("messages", index, "content", at, "redacted")


def _turns_in_a_row(request: Request) -> Iterator[Path]:
    """Yield messages that follow one of the same side, if that isn't the same native message."""
    for index, (before, message) in enumerate(pairwise(request.messages), 1):
        side = _SIDES.get(message.role)
        if side is None or side != _SIDES.get(before.role) or before.role == message.role == "tool":
            continue
        first, second = grouping.seat_of(before, FAMILY), grouping.seat_of(message, FAMILY)
        if before.role == message.role or first is None or second is None or first >= second:
            yield ("messages", index)


# -- mends ------------------------------------------------------------------------------------------------------------


def _without_tools(mending: Mending) -> Iterator[Edit]:
    yield Change(("extras",), usual.without_extra(mending.request.history, FAMILY, "toolConfig"))


def _titled(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        block: Any = mending.request.messages[int(path[1])].content[int(path[3])]
        yield Change(path, _NO_TITLE.sub(" ", block.name).strip()[:_LONGEST_TITLE].strip() or "document")


def _told(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        block: Any = mending.request.messages[int(path[1])].content[int(path[3])]
        yield Change(path, block.evolve(content=[am.TextBlock("The tool failed.")]), "annotation")


# As the service's model says; a toolConfig needs tools.
LIMITS = (
    limits.between("max_tokens", 1),
    *SETTINGS.ranges(),
    limits.few_stops(2500),
    limits.filled_stops(is_blank=False),
    *limits.offered_tools(FAMILY, key="toolConfig"),
)
RULES = (
    # The service's model requires messages; "The toolConfig field must be defined when using toolUse and toolResult
    # content blocks" (langgenius/dify#17545).
    usual.no_messages(),
    *LIMITS,
    usual.tools_missing(FAMILY),
    # The service's model: at least one tool, and descriptions of at least one character.
    SendingRule("empty-tools", _empty_tools, "the list of tools is empty", "leave it out", mend=_without_tools),
    SendingRule(
        "empty-description",
        _empty_descriptions,
        "the description of a tool is empty",
        "leave it out",
        mend=clearing("annotation"),
    ),
    usual.first_role(),
    # "The text field in the ContentBlock object at messages.11.content.0 is blank" (continuedev/continue#9767), "The
    # content field in the Message object at messages.X is empty" (earendil-works/pi#3443). Converse answered a recorded
    # request with a text of one line break.
    *usual.empty_texts(blank="warning"),
    usual.empty_messages(),
    # "A conversation must alternate between user and assistant roles" (langchain-ai/langchain-aws#130).
    SendingRule(
        "alternation",
        _turns_in_a_row,
        "users and assistants must alternate",
        'join the messages (the option turns="merged")',
    ),
    # The service's model has the pattern of ids and names. "The toolResult blocks at ... contain duplicate Ids", so for
    # calls (BerriAI/litellm#20047, BerriAI/litellm#20049), "The number of toolResult blocks at ... exceeds the number
    # of toolUse blocks of previous turn" (langgenius/dify-official-plugins#765), "Expected toolResult blocks at ... for
    # the following Ids" (NousResearch/hermes-agent#108584).
    usual.duplicate_ids(in_message=True, longest=_LONGEST),
    usual.id_characters(f"ids have 1 to {_LONGEST} letters, digits, _ . : and -", "a-zA-Z0-9_.:-", longest=_LONGEST),
    *PAIRING,
    # "The content field at messages.<n>.content.0.toolResult cannot be empty when status value is error"
    # (aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15).
    SendingRule("empty-result", _silent_failures, "a failed result says nothing", "say that it failed", mend=_told),
    # Bytes are base64 in the service's protocol, which decodes them strictly.
    usual.data_encoding("standard"),
    SendingRule(
        "redacted-encoding",
        _odd_redacted,
        "the redacted thinking isn't base64",
        "drop the block",
        mend=removing("content"),
    ),
    usual.tool_names(_LONGEST),
    *usual.object_schemas(),
    # "a cachePoint block with a longer ttl must come before ..." as Claude's own API says it; the service's guide, too.
    usual.cache_order(FAMILY),
    # The enumerations of the service's model.
    SendingRule("media-type", _odd_media, "the medium has no format of Bedrock", "convert it, or leave it out"),
    # The service's model: "If you include a ContentBlock with a document field ..., you must also include a
    # ContentBlock with a text field".
    SendingRule("document-alone", _wordless_documents, "a document needs a text beside it", "add a text"),
    # "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and
    # square brackets. The name can't contain more than one consecutive whitespace character"; at most 200 characters
    # (vercel/ai#20365; the first is documented, too).
    SendingRule(
        "document-name",
        _document_names,
        f"names of documents have 1 to {_LONGEST_TITLE} letters, digits, single spaces and - ( ) [ ]",
        "replace the characters",
        mend=_titled,
    ),
    usual.arguments(),
)
