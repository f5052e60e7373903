"""The rules of the Messages API: what it refuses.

Where a rule has a public source, that is a thread on github.com: owner/repository#number.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import is_mapping, is_marked, natives
from agentmsg.formats.sending import (
    PAIRING,
    Change,
    Edit,
    Mending,
    Move,
    Path,
    Request,
    SendingRule,
    limits,
    usual,
)
from agentmsg_codecs.anthropic.kinds import DOCUMENT_TYPES, IMAGE_TYPES, is_usual
from agentmsg_codecs.anthropic.names import FAMILY
from agentmsg_codecs.anthropic.settings import ADAPTIVE, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

_SAYING = ("user", "assistant", *usual.PROMPTS)
_MOST_MESSAGES, _MOST_CACHES, _LEAST_BUDGET = 100_000, 4, 1024
_CACHE = "cache_control"


def _system_place(request: Request) -> Iterator[Path]:
    first = next(usual.turns(request), None)
    for index, message in enumerate(request.messages):
        if message.role in usual.PROMPTS and first is not None and index > first[0]:
            yield ("messages", index)


def _empty_messages(request: Request) -> Iterator[Path]:
    """Yield the messages without content, or with one empty text; several texts are reported one by one."""
    messages = request.messages
    empty = {index for index, message in enumerate(messages) if not message.content}
    for index, _, block in request.blocks(am.TextBlock):
        if not block.text and len(messages[index].content) == 1:
            empty.add(index)
    for index in sorted(empty):
        is_last = messages[index].role == "assistant" and index == len(messages) - 1
        if messages[index].role in ("user", "assistant") and not is_last:
            yield ("messages", index)


def _is_said(message: am.Msg, block: am.TextBlock) -> bool:
    """Whether a text is checked by itself: one that is empty and alone is an empty message."""
    return message.role in _SAYING and (bool(block.text) or len(message.content) > 1)


def _takes_blanks(message: am.Msg) -> bool:
    """Whether white space may stand beside what else a message says: other text, or the assistant's calls."""
    return bool(message.text.strip()) or (message.role == "assistant" and bool(message.tool_calls))


def _trailing_space(request: Request) -> Iterator[Path]:
    last = request.messages[-1] if request.messages else None
    if last is None or last.role != "assistant" or not last.content:
        return
    block = last.content[-1]
    if isinstance(block, am.TextBlock) and block.text.strip() and block.text != block.text.rstrip():
        yield ("messages", len(request.messages) - 1, "content", len(last.content) - 1, "text")


def _media_of_assistants(request: Request) -> Iterator[Path]:
    for index, at, _ in request.blocks(am.ImageBlock, am.FileBlock):
        if request.messages[index].role == "assistant":
            yield ("messages", index, "content", at)


def _too_many(request: Request) -> Iterator[Path]:
    if len(request.messages) > _MOST_MESSAGES:
        yield ("messages", _MOST_MESSAGES)


def _odd_media(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.ImageBlock, am.FileBlock, am.ToolResultBlock):
        if isinstance(block, am.ToolResultBlock):
            for k, one in enumerate(block.content):
                if _is_odd(one):
                    yield ("messages", index, "content", at, "content", k)
        elif _is_odd(block):
            yield ("messages", index, "content", at)


def _is_odd(block: Any) -> bool:
    """Whether media have a type that the schema lacks; ``encode`` keeps those that were read."""
    types = (
        IMAGE_TYPES if isinstance(block, am.ImageBlock) else DOCUMENT_TYPES if isinstance(block, am.FileBlock) else None
    )
    return types is not None and not is_usual(block.source, types) and is_marked(block.source, FAMILY, "/odd")


def _hinted_thinking(request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(am.ThinkingBlock):
        if natives.has_extra(block, FAMILY, _CACHE):
            yield ("messages", index, "content", at, "extras")


# -- mends ------------------------------------------------------------------------------------------------------------


def _as_user(mending: Mending) -> Iterator[Edit]:
    """Turn instructions into a user's text in tags, after the results of earlier calls."""
    messages = mending.request.messages
    for path in mending.paths:
        index = int(path[1])
        for at, block in enumerate(messages[index].content):
            if isinstance(block, am.TextBlock):
                yield Change((*path, "content", at, "text"), f"<system>\n{block.text}\n</system>", "annotation")
        end = index
        while end < len(messages) and messages[end].role in ("tool", *usual.PROMPTS):
            end += 1
        yield Move(path, end, "user")


def _shown_by_user(mending: Mending) -> Iterator[Edit]:
    """Move media of the assistant into a user message after its turn."""
    for path in mending.paths:
        yield Move(path, mending.request.pairing.after_results(path), "user")


def _cut(mending: Mending) -> Iterator[Edit]:
    """Cut the white space at the end of the text that the answer continues."""
    for path in mending.paths:
        block = mending.request.messages[int(path[1])].content[int(path[3])]
        yield Change(path, block.text.rstrip(), "annotation")  # type: ignore[union-attr]


def _unhinted_thinking(mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        block = mending.request.messages[int(path[1])].content[int(path[3])]
        yield Change(path, usual.without_extra(block, FAMILY, _CACHE))


# -- settings ---------------------------------------------------------------------------------------------------------


def _budget(request: Request) -> Any:
    """Return the budget for thinking; None if there is none."""
    said = limits.setting(request, "reasoning")
    budget = said.get("budget") if is_mapping(said) else None
    return budget if type(budget) is int and budget != ADAPTIVE else None


def _enough(reasoning: Any, request: Request) -> Any:
    budget = _budget(request)
    return reasoning if budget is None or budget >= _LEAST_BUDGET else {**reasoning, "budget": _LEAST_BUDGET}


def _below_limit(reasoning: Any, request: Request) -> Any:
    """Return a budget below the limit of tokens; None if that is too low for any."""
    budget, most = _budget(request), limits.setting(request, "max_tokens")
    if budget is None or most is None or budget < most:
        return reasoning
    return {**reasoning, "budget": most - 1} if most > _LEAST_BUDGET else None


def _unforced(choice: Any, _: Request) -> Any:
    return choice if choice in ("auto", "none") else None


def _led_by_thinking(reasoning: Any, request: Request) -> Any:
    """Return no reasoning if the answer goes on from a turn that began without thinking."""
    turns = [message for _, message in usual.turns(request)]
    turn = list(takewhile(lambda message: message.role in ("assistant", "tool"), reversed(turns)))
    began = turn[-1].content if turn and turn[-1].role == "assistant" else ()
    return reasoning if not began or isinstance(began[0], am.ThinkingBlock) else None


_THINKING = limits.When("with a budget for thinking", lambda request: _budget(request) is not None)
_LOWER = "the budget for thinking is lower than max_tokens"
# As the API's errors say: "`temperature` may only be set to 1 when thinking is enabled", "`top_p` must be greater than
# or equal to 0.95 or unset when thinking is enabled", "`top_k` must be unset when thinking is enabled", "Thinking may
# not be enabled when tool_choice forces tool use", "tool_choice may only be specified while providing tools", "each
# stop sequence must contain non-whitespace", "`temperature` and `top_p` cannot both be specified for this model".
LIMITS = (
    limits.between("temperature", 0, 1, unread=SETTINGS.unread("temperature")),
    limits.between("top_p", 0, 1),
    limits.filled_stops(is_blank=True),
    limits.accepting("reasoning", _enough, f"a budget for thinking is at least {_LEAST_BUDGET}"),
    limits.accepting("reasoning", _below_limit, _LOWER, when=limits.without_tools(FAMILY)),
    # Interleaved thinking, which a header asks for, has a budget for several answers.
    limits.accepting("reasoning", _below_limit, _LOWER, when=limits.with_tools(FAMILY), severity="warning"),
    limits.between("temperature", 1, 1, when=_THINKING),
    limits.between("top_p", 0.95, 1, when=_THINKING),
    limits.left_out("top_k", _THINKING),
    limits.accepting("tool_choice", _unforced, "no tool is forced", "leave out the choice", when=_THINKING),
    limits.left_out("top_p", limits.beside("temperature"), severity="warning"),
    # "When `thinking` is enabled, a final `assistant` message must start with a thinking block"; now some models answer
    # without thinking.
    limits.accepting(
        "reasoning",
        _led_by_thinking,
        "an unfinished turn begins with thinking",
        "leave out the budget",
        when=_THINKING,
        code="thinking-first",
        severity="warning",
    ),
    *limits.offered_tools(FAMILY, "parallel_tool_calls"),
    limits.known_choice(FAMILY),
)


RULES = (
    # "messages: at least one message is required" (langchain-ai/langchain#31696); the schema requires the settings.
    usual.no_messages(),
    # Clouds that host the model have its name in the URL, and this parameter in the body.
    SETTINGS.needs("model", "max_tokens", unnamed="anthropic_version"),
    *LIMITS,
    # "Requests which include `tool_use` or `tool_result` blocks must define tools"; no longer since February 2025
    # (anthropics/anthropic-sdk-python#849). Clouds may be older.
    usual.tools_missing(FAMILY, "warning"),
    # A recorded request that begins with an assistant message got an answer.
    usual.first_role(),
    SendingRule(
        "system-place",
        _system_place,
        "only newer models take a system message here",
        "make it a user's text",
        mend=_as_user,
        severity="warning",
    ),
    # "'image' blocks are not permitted within assistant turns" (SEMOSS/Semoss#2323).
    SendingRule(
        "media-place",
        _media_of_assistants,
        "an assistant's message has no images and documents",
        "let the user show it",
        mend=_shown_by_user,
    ),
    # The types of the schema allow no other media types.
    SendingRule(
        "media-type",
        _odd_media,
        "images are JPEG, PNG, GIF or WebP, and documents PDF or plain text",
        "convert the medium, or leave it out",
    ),
    # "messages: text content blocks must be non-empty" (anthropics/claude-code#59812), "... must contain non-whitespace
    # text" (home-assistant/core#175637). White space beside other text was answered (LibreChat-AI/agents#124), and
    # before calls (recorded in April 2026).
    *usual.empty_texts(_is_said, accepted=_takes_blanks),
    # "all messages must have non-empty content except for the optional final assistant message"
    # (anthropics/claude-code#6774), "final assistant content cannot end with trailing whitespace"
    # (tailcallhq/forgecode#1872).
    usual.empty_messages(find=_empty_messages),
    SendingRule(
        "trailing-space", _trailing_space, "the last text ends with white space", "cut the white space", mend=_cut
    ),
    # The schema requires ids. "`tool_use` ids must be unique" (anomalyco/opencode#1279), "String should match pattern
    # '^[a-zA-Z0-9_-]+$'" (maximhq/bifrost#5097), "unexpected `tool_use_id` found in `tool_result` blocks"
    # (anthropics/claude-code#13460), "each tool_use must have a single result" (sipeed/picoclaw#1793), "`tool_use` ids
    # were found without `tool_result` blocks immediately after" (anthropics/claude-code#7929).
    usual.missing_ids(FAMILY),
    usual.duplicate_ids(in_message=False),
    usual.id_characters("ids have only letters, digits, _ and -", "a-zA-Z0-9_-"),
    *PAIRING,
    usual.data_encoding(),
    # "image.source.base64: invalid base64 data" (anthropics/anthropic-sdk-typescript#603), "tools.7.custom.name: String
    # should match pattern '^[a-zA-Z0-9_-]{1,64}$'", now with 128 (apify/tester-mcp-client#11); names of properties have
    # letters, digits, _ . and -, 1 to 64 (documented: diegosouzapw/OmniRoute#13552). schemas.py has the sources of the
    # rules for schemas.
    usual.tool_names(128),
    *usual.object_schemas("oneOf", "allOf", "anyOf"),
    usual.closed_answers(),
    usual.property_names(64, "a-zA-Z0-9_.-", "letters, digits, _ . and -"),
    usual.arguments(),
    # "A maximum of 4 blocks with cache_control may be provided" (griffinmartin/opencode-claude-auth#121); "a ttl='1h'
    # cache_control block must not come after a ttl='5m' cache_control block" (headroomlabs-ai/headroom#2939);
    # "thinking.cache_control: Extra inputs are not permitted" (Wei-Shaw/sub2api#225; the schema lacks it, too).
    usual.cache_count(_MOST_CACHES, FAMILY, _CACHE),
    usual.cache_order(FAMILY, _CACHE),
    SendingRule(
        "cache-place", _hinted_thinking, "thinking has no cache hint", "drop the hint", mend=_unhinted_thinking
    ),
    # Documented: "There is a limit of 100,000 messages in a single request".
    SendingRule("too-many", _too_many, f"there are more than {_MOST_MESSAGES:,} messages", "trim the history"),
)
