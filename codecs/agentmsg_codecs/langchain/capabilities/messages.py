"""The capability table: what LangChain's messages support, and what becomes of the rest.

They support nearly everything, because `content` and `extras` are open. Not supported: times, recipients, embeddings
and structured output of messages; ids, tools and metadata of histories; extras of other families; blocks in removals.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    ANY_ROLE,
    KEEP,
    Caps,
    Cell,
    MessageRow,
    Swap,
    carried_extras,
    given,
    natives,
    restructure,
    rules,
    usually,
)
from agentmsg_codecs.langchain.calls.tagged import TAGS, read_as_tags
from agentmsg_codecs.langchain.capabilities.blocks import block_rows, result_rows, settled
from agentmsg_codecs.langchain.capabilities.unsent import UNSENT
from agentmsg_codecs.langchain.grouped import is_result, split
from agentmsg_codecs.langchain.messages.engine import FORMS
from agentmsg_codecs.langchain.messages.fields import FIELDS, MAY_MEAN
from agentmsg_codecs.langchain.messages.metadata import (
    IN_KWARGS,
    MEANT,
    MODEL_KEYS,
    OBJECT_KEY,
    PROVIDER_KEY,
    STOP_KEYS,
    read_as_words,
)
from agentmsg_codecs.langchain.names import (
    API_OF,
    CONTAINERS,
    ENVELOPE,
    FAMILY,
    NATIVE_STOPS,
    OBJECT_OF,
    OPENAI,
    OPENAI_ROLE,
    PROVIDER_OF,
)
from agentmsg_codecs.langchain.usage import carried_usage

if TYPE_CHECKING:
    from agentmsg_codecs.langchain.messages.engine import Messages


Fields = Mapping[str, Any]
BESIDE_DATA = frozenset({"type", "data", "content"})
_NONE = frozenset[str]()


def message_extras(
    engine: Messages,
    *spaces: tuple[str, Callable[[am.Msg], frozenset[str] | None]],
    form: Callable[[am.Msg], str] | None = None,
    taken: frozenset[str] = _NONE,
) -> Cell:
    """Return the cell for the extras of a message: unknown fields are supported unless they read as known ones.

    Args:
        engine: reads and writes messages.
        spaces: other namespaces, see ``carried_extras``.
        form: returns the only form that a message may have here; None: any form.
        taken: keys that no unknown field may have.
    """
    found = carried_extras((FAMILY, lambda _: taken), *spaces)

    def keeps(message: am.Msg, own: Fields) -> bool:
        if form is None:
            default, forms = "dict", FORMS
        else:
            forms = frozenset({default := form(message)})
        return engine.keeps_extras(message.evolve(extras={FAMILY: own}), default, forms)

    def cell(extras: Fields, message: am.Msg) -> Fields:
        kept: Fields = found(extras, message)
        own = kept.get(FAMILY)
        if own is None or MAY_MEAN.isdisjoint(own):
            return kept
        engine.fill()
        if message.role == "tool":
            # The rules of blocks come later, and their result affects the fields of the message.
            message = message.evolve(content=tuple(map(settled, message.content)))
        if keeps(message, own):
            return kept
        left: Fields = {key: own[key] for key in own if key not in MAY_MEAN or keeps(message, {key: own[key]})}
        if not keeps(message, left):
            left = _without(own, MAY_MEAN)
        return {**kept, FAMILY: left} if left else _without(kept, {FAMILY})

    return cell


def _without(mapping: Fields, dropped: Collection[str]) -> Fields:
    return mapping if mapping.keys().isdisjoint(dropped) else {k: mapping[k] for k in mapping if k not in dropped}


def _assistant_metadata(metadata: Fields, message: am.Msg) -> Fields:
    taken = {key for key, takes in IN_KWARGS.items() if key in metadata and takes(metadata[key])}
    return _without(metadata, taken if TAGS.isdisjoint(metadata) else taken | read_as_tags(metadata, message.content))


def _system_metadata(metadata: Fields, message: am.Msg) -> Fields:
    is_taken = message.role == "developer" or metadata.get(OPENAI_ROLE) == "developer"
    return _without(metadata, [OPENAI_ROLE] if is_taken else ())


def _response(response: Fields, message: am.Msg) -> Fields:
    """Reserve the keys of model and finish reason for these fields."""
    dropped: set[str] = (
        {PROVIDER_KEY} if message.provider is not None or type(response.get(PROVIDER_KEY)) is str else set()
    )
    kind = response.get(OBJECT_KEY)
    if given(message.provider) == OPENAI and (message.api in OBJECT_OF or (type(kind) is str and kind in API_OF)):
        dropped.add(OBJECT_KEY)
    if MEANT.isdisjoint(response):
        return _without(response, dropped)
    for keys, value in ((MODEL_KEYS, message.model), (STOP_KEYS, message.finish_reason)):
        dropped |= read_as_words(response, keys, has_word=value is not None)
    return _without(response, dropped)


@usually("value not in native_words", native_words=NATIVE_STOPS)
def _finish(word: str, _: Any) -> str:
    return NATIVE_STOPS.get(word, word)


@usually("value not in words", words=PROVIDER_OF)
def _provider(word: str, _: Any) -> str:
    return PROVIDER_OF.get(word, word)


def _api(api: str, message: am.Msg) -> str | None:
    return api if given(message.provider) == OPENAI and api in OBJECT_OF else None


def _without_results(messages: Messages) -> Callable[[am.Msg], Any]:
    """Return the rule for user messages with native blocks: none may read as a tool result."""

    def rule(message: am.Msg) -> Any:
        messages.fill()
        if split(message, messages.parts)[0] is message:
            return message
        content = [block for block in message.content if not is_result(block)]
        return Swap(message.evolve(content=content), "a tool result is a message of its own")

    return rule


def make_caps(
    messages: Messages,
    *,
    extras: Cell | None = None,
    history: Mapping[str, Cell] | None = None,
    read_native: Callable[[Any], am.Msg] | None = None,
) -> Caps:
    """Return the capability table.

    Args:
        messages: the codec's reader and writer.
        extras: the cell for the extras of messages, if it isn't that of the dict forms.
        history: the cells of histories, if they aren't those of lists, messages and states.
        read_native: reads a message that was kept whole, if ``messages`` doesn't.
    """

    def read_dict(value: Any) -> am.Msg:
        messages.fill()
        return messages.read(value)[0]

    rows = block_rows(messages.parts)
    shared = {field.field: KEEP for field in FIELDS["human"].values() if field.field not in ("role", "content")}
    fields: dict[str, Cell] = {
        **shared,
        "model": KEEP,
        "provider": _provider,
        "api": _api,
        "finish_reason": _finish,
        "response_metadata": _response,
        "extras": extras or message_extras(messages, (ENVELOPE, lambda _: BESIDE_DATA)),
    }
    system = MessageRow(fields={**fields, "metadata": _system_metadata}, blocks=rows)
    return Caps(
        messages={
            "system": system,
            "developer": system,
            "assistant": MessageRow(
                fields={**fields, "metadata": _assistant_metadata, "usage": carried_usage()},
                blocks=block_rows(messages.parts, has_copies=True),
            ),
            "user": MessageRow(
                fields=fields, blocks=rows, otherwise=_without_results(messages), concerns=am.NativeBlock
            ),
            "tool": MessageRow(
                fields={name: cell for name, cell in fields.items() if name != "name"},
                blocks=result_rows(),
                results=rows,
            ),
            "remove": MessageRow(fields=fields),
            "native": rules.native_message_row(FAMILY, read_native or read_dict),
            ANY_ROLE: MessageRow(fields=fields, blocks=rows),
        },
        history=history or CONTAINERS.cells(),
        arrange=(restructure.split_results,),
        needs_id=natives.lacks_id(FAMILY),
        unsent=UNSENT,
    )
