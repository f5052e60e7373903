"""Words for kinds of content, by which a caller allows their loss; and the refusal to lose any other.

One table tells the word of each class and field. A loss may need several words, as a message with two blocks does, and
several words may allow the same thing: the first is the one to name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, get_args

from agentmsg.errors import LossError, is_a
from agentmsg.fitting.difference import thing_at
from agentmsg.fitting.levels import EXTRAS, PROMPT_ROLES, extras_hold_content, words_of
from agentmsg.fitting.survival import level_of_gone
from agentmsg.model.allow import Allow, Word
from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import BLOCK_TAGS
from agentmsg.model.checks import listed, one_of
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.settings import Settings
from agentmsg.model.tools import NativeTool, ToolSpec
from agentmsg.registry import class_of_family
from agentmsg.values.types import class_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agentmsg.fitting.losses import Loss, Losses

WORDS: tuple[Word, ...] = get_args(Word)
_SHOWN = 3
# The words for blocks that aren't called by their tags.
_TAGS: Mapping[str, Word] = {
    "approval_request": "approvals",
    "approval_response": "approvals",
    "compaction": "summaries",
    "source": "citations",
    "tool_use": "tool_calls",
}


def _called(tag: str) -> Word:
    return _TAGS.get(tag) or cast("Word", tag if tag in WORDS else f"{tag}s")


# The word for a class, and for what is lost of its fields; own classes of an application are "custom".
_CLASSES: Mapping[type, Word] = {
    **{cls: _called(tag) for cls, tag in BLOCK_TAGS.items() if cls.__module__.startswith("agentmsg.")},
    BaseBlock: "custom",
    ToolSpec: "tools",
    NativeTool: "tools",
    Msg: "messages",
    History: "messages",
    Settings: "extras",
}
# The words for fields that have some of their own, besides that of their class. A signature is thinking for its
# provider's eyes, wherever it stands.
_FIELDS: Mapping[str, tuple[Word, ...]] = {
    "citations": ("citations",),
    EXTRAS: ("extras",),
    "response_format": ("structured",),
    "signature": ("signatures", "thinking"),
    "status": ("status",),
    "structured": ("structured",),
    "tools": ("tools",),
}
_THINKING = frozenset({"thinking", "thought", "thoughts", "reasoning", "signature", "signatures"})


def allowed(allow: Allow) -> frozenset[str]:
    """Return the words of an argument ``allow``.

    Raises:
        InvalidMessage: code "option" if there is no such word.
    """
    words = (allow,) if is_a(allow, str) else listed(cast("Iterable[str]", allow), "allow")
    for word in words:
        one_of(word, "allow", *WORDS)
    return frozenset(words)


def needed(loss: Loss, history: History) -> list[tuple[Word, ...]]:
    """Return the words that allow a content loss: one of each tuple is needed.

    Args:
        loss: the loss.
        history: the one that its path is in.
    """
    path, last = loss.path, loss.path[-1]
    if loss.kind == "invented" and isinstance(last, int):
        return [(_word(_at(history, path[:-2])),)] if path[0] == "messages" else [("tools",)]
    if isinstance(last, int):
        thing = loss.was if loss.was is not None else _at(history, path)
        if not isinstance(thing, Msg):
            return [(_word(thing),)]
        return _of_message(thing) if loss.kind == "dropped" else [("messages", *_prompt(thing))]
    field = EXTRAS if EXTRAS in path else str(last)
    owner = _at(history, path[: path.index(field)] if field == EXTRAS else path[:-1])
    if field == "role" and loss.was == "native":
        return [("native", "messages")]
    return [(*_of_key(path), *_FIELDS.get(field, ()), *_prompt(owner), _word(owner))]


def _of_message(message: Msg) -> list[tuple[Word, ...]]:
    """Return what a message needs that is gone: what each of its blocks does."""
    if _prompt(message):
        return [("system", "messages")]
    words: list[Word] = [_word(block) for block in message.content if level_of_gone(block) == "content"]
    found: list[tuple[Word, ...]] = [("messages", word) if word == "text" else (word, "messages") for word in words]
    if message.structured is not None:
        found.append(("structured", "messages"))
    if extras_hold_content(message, message.extras, {}):
        found.append(("extras", "messages"))
    return found or [("messages",)]


def _of_key(path: tuple[str | int, ...]) -> tuple[Word, ...]:
    """Return the words for a key of extras, if it says what it is."""
    space, *keys = path[path.index(EXTRAS) + 1 :] if EXTRAS in path else [""]
    if not keys:
        return ()
    key = str(keys[0])
    is_tool = len(path) == len(keys) + 2 and key in class_of_family(str(space).partition(".")[0]).tool_keys
    return ("tools",) if is_tool else ("thinking",) if _THINKING.intersection(words_of(key)) else ()


def _prompt(owner: Any) -> tuple[Word, ...]:
    return ("system",) if isinstance(owner, Msg) and owner.role in PROMPT_ROLES else ()


def _word(thing: Any) -> Word:
    kinds: tuple[type, ...] = class_of(thing).__mro__
    found: list[Word] = [_CLASSES[cls] for cls in kinds if cls in _CLASSES]
    return found[0] if found else "messages"


def _at(history: History, path: tuple[str | int, ...]) -> Any:
    """Return what stands at a path; the history itself for what it doesn't hold."""
    try:
        return thing_at(history, path)
    except (AttributeError, LookupError):
        return history


def _fewest(lacking: list[tuple[Word, ...]]) -> list[Word]:
    """Return words of which none can be left out: the first of each tuple, unless another is named anyway."""
    words: list[Word] = list(dict.fromkeys(each[0] for each in lacking))
    for word in words.copy():
        others = {*words} - {word}
        if not any(others.isdisjoint(each) for each in lacking):
            words.remove(word)
    return words


def refusal(losses: Losses, history: History, allow: frozenset[str], how: str, lead: str) -> LossError | None:
    """Return the error for losing content that isn't allowed; None if there is none.

    Args:
        losses: the losses.
        history: the one that they are in.
        allow: the words for what may be lost.
        how: says how to allow it, with a place for the words.
        lead: says what would be lost.
    """
    refused: list[Loss] = []
    lacking: list[tuple[Word, ...]] = []
    for loss in losses.content.lost:
        if each := [words for words in needed(loss, history) if allow.isdisjoint(words)]:
            refused.append(loss)
            lacking += each
    if not refused:
        return None
    words = _fewest(lacking)
    more = f"; and {len(refused) - _SHOWN} more" if len(refused) > _SHOWN else ""
    told = how.format(words=",".join(words), quoted=", ".join(map(repr, words)))
    msg = f"{lead}: {'; '.join(map(str, refused[:_SHOWN]))}{more} ({told})"
    return LossError(msg, codec=losses.codec, losses=refused, allow=tuple(words))
