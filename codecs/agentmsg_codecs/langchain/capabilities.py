"""The capability table: what LangChain's messages support, and what becomes of the rest.

They support nearly everything, because `content` and `extras` are open. Not supported: times, recipients, embeddings
and structured output of messages; ids, tools and metadata of histories; extras of other families; blocks in removals.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1_forms as cited
from agentmsg import thaw
from agentmsg.formats import (
    ANY_ROLE,
    KEEP,
    Caps,
    Cell,
    Drop,
    MessageRow,
    Row,
    Rule,
    Swap,
    Unreadable,
    Unsent,
    adopt,
    blocks,
    carried_extras,
    cells,
    dispatch,
    envelopes,
    given,
    is_mapping,
    is_marked,
    mark_of,
    media,
    natives,
    restructure,
    rules,
    same_document,
    usually,
)
from agentmsg_codecs.langchain.blocks.dialects import ALL_FORMS, NESTED
from agentmsg_codecs.langchain.blocks.parts import is_non_standard, provider_of
from agentmsg_codecs.langchain.blocks.providers import DIALECTS, GUARD, ITEM, KIND, is_of_texts
from agentmsg_codecs.langchain.blocks.v1 import SEALED
from agentmsg_codecs.langchain.blocks.v1_forms import KEYS, error_first
from agentmsg_codecs.langchain.calls import SPACES, extras_of_copies, is_function_call
from agentmsg_codecs.langchain.messages.fields import FIELDS, FORMS, MAY_MEAN
from agentmsg_codecs.langchain.messages.metadata import (
    IN_KWARGS,
    MEANT,
    MODEL_KEYS,
    OBJECT_KEY,
    PROVIDER_KEY,
    STOP_KEYS,
    TAGS,
    carried_usage,
    read_as_tags,
    read_as_words,
)
from agentmsg_codecs.langchain.names import (
    ANTHROPIC,
    API_OF,
    CONTAINERS,
    ENVELOPE,
    FAMILY,
    INNER,
    NATIVE_STOPS,
    OBJECT_OF,
    OPENAI,
    OPENAI_ROLE,
    PROVIDER_OF,
    STATUS_WORDS,
)
from agentmsg_codecs.langchain.trees import is_result, split
from agentmsg_codecs.wire.signatures import usual_signature
from agentmsg_codecs.wire.unsent import is_of_a_thought

if TYPE_CHECKING:
    from agentmsg_codecs.langchain.blocks.parts import ContentParts
    from agentmsg_codecs.langchain.messages.engine import Messages


# -- the rows of blocks -----------------------------------------------------------------------------------------------


Fields = Mapping[str, Any]
# The keys of all forms, and those that they ask for: an unknown field with such a name may read as one.
_MAY_MEAN = frozenset({"index", "prompt_cache_breakpoint", "source", "value", *KEYS}).union(
    *(form.keys for form in ALL_FORMS)
)
_ALL_SPACES = (FAMILY, INNER, NESTED, ANTHROPIC, KIND, GUARD)


def _block_extras(parts: ContentParts, *, has_copies: bool) -> Cell:
    """Return the cell for the extras of a block: those that come back, because none reads as a field."""

    def cell(extras: Fields, block: Any) -> Fields:
        if _is_a_providers(block):
            return extras
        has_no_inner = (
            is_non_standard(dispatch.class_of(block)) or type(getattr(block, "source", None)) is am.BlocksSource
        )
        spaces = (FAMILY, NESTED, ANTHROPIC) if has_no_inner else _ALL_SPACES
        kept: dict[str, Any] = {
            space: own for space, own in extras.items() if space in spaces and is_mapping(own) and own
        }
        own = kept.get(FAMILY)
        if own is not None and type(block) is am.ToolUseBlock and not block.is_valid:
            kept = {**kept, FAMILY: error_first(own)}
        found = _coming_back(parts, block, kept)
        if has_copies and is_function_call(block) and not extras.keys().isdisjoint(SPACES.values()):
            found |= extras_of_copies(block.evolve(extras={**extras}), parts)
        kept = {space: found[space] for space in extras if space in found}
        return extras if len(kept) == len(extras) and am.same(adopt(kept), extras) else kept

    return cell


def _may_mean(block: Any) -> bool:
    """Whether an extra of a block might read as a field."""
    own = block.extras.get(FAMILY)
    return len(block.extras) > (own is not None) or (is_mapping(own) and not _MAY_MEAN.isdisjoint(own))


def _keeps_extras(block: Any, parts: ContentParts) -> bool:
    """Whether the extras of a block come back unchanged."""
    if type(block) is am.ToolResultBlock and any(type(inner) is am.ToolResultBlock for inner in block.content):
        # The content of results inside doesn't matter, and each level would be tried again for the one above.
        inside = [inner.evolve(content=()) if type(inner) is am.ToolResultBlock else inner for inner in block.content]
        block = block.evolve(content=tuple(inside))
    try:
        back = parts.read(thaw(parts.write(block)), provider_of(block))
    except envelopes.UNFIT:
        return False
    return type(back) is type(block) and same_document(back.extras, block.extras)


def _coming_back(parts: ContentParts, block: Any, kept: dict[str, Any]) -> dict[str, Any]:
    """Return the extras of a block that come back when it is written and read."""

    def comes_back(extras: dict[str, Any]) -> bool:
        new = block.evolve(extras=extras)
        return not _may_mean(new) or _keeps_extras(new, parts)

    parts.fill()
    if not kept or comes_back(kept):
        return kept
    found: dict[str, Any] = {}
    for space, own in kept.items():
        for key, value in own.items():
            trial = {**found, space: {**found.get(space, {}), key: value}}
            if comes_back(trial):
                found = trial
    return found


_HINT_EXTRAS = carried_extras((FAMILY, lambda hint: frozenset({"type"} if hint.ttl is None else {"type", "ttl"})))


@usually("not (value.extras or value.notes)")
def _hint(hint: am.CacheHint, _: Any) -> am.CacheHint:
    if is_marked(hint, "bedrock", "/point") and hint.kind == "ephemeral":
        hint = hint.evolve(kind="default")  # as Converse says it
    extras = _HINT_EXTRAS(hint.extras, hint)
    own = extras.get(FAMILY)
    if is_mapping(own) and isinstance(own.get("ttl"), str):
        extras = {}
    return hint if extras is hint.extras else hint.evolve(extras=extras)


# Signatures and sources have no extras here.
_bare = usually("not value.extras")(cells.bare)


def _of_google(value: am.Signature, _: Any) -> am.Signature:
    """Return the signature of a text; one of Google's is written as it is read."""
    kept: am.Signature = cells.bare(value)
    made = am.Signature("google", usual_signature(kept.value))
    return kept if kept.provider != "google" or kept == made else made


# -- blocks -----------------------------------------------------------------------------------------------------------


def _citations(citations: tuple[am.Citation, ...], _: Any) -> tuple[am.Citation, ...]:
    if DIALECTS[ANTHROPIC].is_usual(am.TextBlock("", citations=citations)):
        return citations
    carried = tuple(map(_citation, citations))
    return citations if all(new is old for new, old in zip(carried, citations, strict=True)) else carried


def _citation(citation: am.Citation) -> am.Citation:
    if citation.kind == "citation":
        citation = citation.evolve(kind=None)
    if not citation.extras or _is_back(citation):
        return citation
    whole = citation.extras.get(cited.WHOLE)
    if is_mapping(whole) and _is_back(alone := am.Citation(extras={cited.WHOLE: whole})):
        return alone
    for spaces in ((FAMILY, ANTHROPIC), (ANTHROPIC,), (FAMILY,)):
        extras = {space: citation.extras[space] for space in spaces if space in citation.extras}
        if extras and _is_back(trial := citation.evolve(extras=extras)):
            return trial
    return citation.evolve(extras={})


def _is_back(citation: am.Citation) -> bool:
    return bool(am.same(cited.read_citation(thaw(cited.write_citation(citation))), citation))


@usually("type(value) in anywhere and not value.extras", anywhere=(am.URLSource, am.Base64Source, am.FileSource))
def _source(source: Any, block: Any) -> Any:
    in_blocks = type(source) is am.BlocksSource
    if (in_blocks and not (type(block) is am.FileBlock and is_of_texts(source))) or (
        type(source) is am.TextSource and type(block) is not am.FileBlock
    ):
        return Drop(f"no place for a {type(source).__name__} here")
    return source if source.extras and _is_a_providers(block) else _bare(source, block)


def _is_a_providers(block: Any) -> bool:
    """Whether a block comes back as the part of a provider, which may have keys of its own inside."""
    dialect = DIALECTS.get(mark_of(block, FAMILY, "/shape"))
    if dialect is None and FAMILY not in block.extras:
        dialect = next((each for each in DIALECTS.values() if each.is_usual(block)), None)
    if dialect is None:
        return False
    try:
        return bool(am.same(dialect.read(dialect.write(block)), block))
    except Unreadable:
        return False


_BARE_DOCUMENT: dict[str, Any] = {"item_id": None, "phase": None, "metadata": {}, "signature": None}


def _document_text(block: Any) -> Any:
    """Support a document that consists of texts, as Anthropic's do; one with other blocks becomes its text."""
    if ITEM in block.extras and type(block.source) is am.Base64Source and not _is_a_providers(block):
        kept = {space: own for space, own in block.extras.items() if space != ITEM}
        return Swap(block.evolve(extras=kept), "only a part of Converse says more of a file, and its bytes are no text")
    if type(block.source) is not am.BlocksSource:
        return block
    if is_of_texts(block.source):
        wanted = _BARE_DOCUMENT if block.name is None else {**_BARE_DOCUMENT, "context": None}
        changes = {name: value for name, value in wanted.items() if getattr(block, name) != value}
        if not changes:
            return block
        return Swap(block.evolve(**changes), "a document made of texts holds nothing else", "annotation")
    text = "\n".join(item.text for item in block.source.content if type(item) is am.TextBlock)
    if not text:
        return Drop("no place for a document made of blocks")
    return Swap(block.evolve(source=am.TextSource(text, "text/plain")), "a document is text here")


def settled(block: Any) -> Any:
    """Return a result with an error but no status with the status "error"; anything else unchanged."""
    lacks_status = type(block) is am.ToolResultBlock and block.error is not None and block.status is None
    return block.evolve(status="error") if lacks_status and not is_marked(block, FAMILY, "/status") else block


def _tool_result(block: am.ToolResultBlock) -> Any:
    new = settled(block)
    return block if new is block else Swap(new, "a tool message shows this in its status", "annotation")


@usually("value in known", known=STATUS_WORDS)
def _status(status: str, result: am.ToolResultBlock) -> str | None:
    if status in STATUS_WORDS or is_marked(result, FAMILY, "/status"):
        return status
    return "error" if result.is_error else None


# Blocks inside a result have their own rows; whose words a reasoning has is said by its form alone.
_NOT_ASKED = frozenset({"notes", "content", "raw"})


class _AllFields(Mapping[str, Cell]):
    """Cells for block classes whose fields are unknown here: all are supported."""

    def __init__(self, extras: Cell) -> None:
        # The canonical form also supports extras of a cache hint and of a signature.
        names = ("item_id", "phase", "metadata", "cache", "signature")
        self._cells: dict[str, Cell] = {**dict.fromkeys(names, KEEP), "extras": extras}

    def __getitem__(self, name: str) -> Cell:
        return self._cells.get(name, KEEP)

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)


def _coming_back_whole(parts: ContentParts) -> Rule:
    """Return the rule for blocks of other classes: a block is supported if its canonical form comes back."""

    def rule(block: Any) -> Any:
        cls = dispatch.class_of(block)
        if not is_non_standard(cls):
            return Drop(f"no place for a {blocks.BLOCK_TAGS.get(cls, cls.__name__)} block")
        parts.fill()
        bare = block.evolve(extras={}, notes={})
        try:
            back = parts.read(thaw(parts.write(bare)))
        except Exception:  # noqa: BLE001 - a foreign class may be anything
            return Drop("no plain form of this block can be made")
        return block if am.same(back, bare) else Drop("this block does not come back from its plain form")

    return rule


def block_rows(parts: ContentParts, *, has_copies: bool = False) -> dict[type[am.BaseBlock], Row]:
    """Return the rows of the blocks in content and in tool results; ``has_copies``: calls may also be elsewhere."""
    extras = _block_extras(parts, has_copies=has_copies)

    def row(cls: type[Any], rule: Rule | None = None, concerns: str | None = None, **own: Cell) -> Row:
        fields = {field.alias: KEEP for field in attrs.fields(cls) if field.init and field.alias not in _NOT_ASKED}
        return Row({**fields, "cache": _hint, "signature": _bare, "extras": extras, **own}, rule, concerns)

    media: dict[type[am.BaseBlock], Row] = {
        cls: row(cls, source=_source) for cls in (am.ImageBlock, am.AudioBlock, am.VideoBlock)
    }
    return {
        am.TextBlock: row(am.TextBlock, citations=_citations, signature=_of_google),
        am.ThinkingBlock: row(am.ThinkingBlock, redacted=SEALED),
        am.RefusalBlock: row(am.RefusalBlock),
        am.ApprovalResponseBlock: row(
            am.ApprovalResponseBlock, lambda block: block if block.kind == "server" else Drop("only providers ask here")
        ),
        **media,
        am.FileBlock: row(am.FileBlock, _document_text, source=_source),
        am.ToolUseBlock: row(am.ToolUseBlock, rules.custom_as_function, "kind", kind=cells.kinds("function", "server")),
        am.ToolResultBlock: row(
            am.ToolResultBlock, lambda block: block if block.kind == "server" else rules.result_as_text(block)
        ),
        am.NativeBlock: rules.native_block_row(FAMILY, parts.comes_back),
        am.BaseBlock: Row(_AllFields(extras), _coming_back_whole(parts)),
    }


_RESULT = {field.field: KEEP for key, field in FIELDS["tool"].items() if key == "name" or key not in FIELDS["human"]}


def result_rows() -> dict[type[am.BaseBlock], Row]:
    """Return the rows of tool messages."""
    return {am.ToolResultBlock: Row({**_RESULT, "status": _status, "cache": _hint}, _tool_result, "error")}


# -- what clients don't send (those of LangChain 1.x for four providers) ----------------------------------------------


def _is_readable(block: Any, message: am.Msg) -> bool:
    if mark_of(block, "openai", "/place") is not None:
        return True  # Chat Completions has no field for it: servers that speak it have
    is_sealed = block.signature is not None or block.redacted is not None or block.item_id is not None
    is_googles = message.provider in ("google", "deepseek") or mark_of(block, "gemini", "/unsigned") is not None
    return not is_sealed and not is_googles


_CODE, _ACTS = "code_execution", (am.ToolUseBlock, am.ToolResultBlock)
UNSENT = (
    Unsent(am.ThinkingBlock, "ChatOpenAI, ChatAnthropic and ChatBedrockConverse send no reasoning that isn't signed",
           _is_readable),
    Unsent(am.ImageBlock, "ChatOpenAI sends an image that OpenAI made by its id alone",
           lambda block, _: block.item_id is not None),
    Unsent(am.TextBlock, "ChatBedrockConverse sends no citations without their text", lambda block, _: any(
        "bedrock" in each.extras and each.cited_text is None for each in block.citations), "citations"),
    Unsent(am.TextBlock, "ChatOpenAI sends no citations to Chat Completions", lambda block, _: block.item_id is None
           and any(each.kind == "url_citation" for each in block.citations), "citations"),
    Unsent(tuple(media.KINDS), "ChatGoogleGenerativeAI sends media of thoughts as those of an answer",
           is_of_a_thought, "extras"),
    Unsent(_ACTS, "ChatGoogleGenerativeAI sends code that Google ran without signatures", lambda block, _:
           block.provider == "google" and block.name == _CODE and block.signature is not None, "signature"),
    Unsent(_ACTS, "ChatGoogleGenerativeAI sends what Google's tools found as the output of code", lambda block, _:
           block.kind == "server" and block.provider == "google" and block.name != _CODE),
    Unsent(am.ToolUseBlock, "ChatOpenAI sends no signatures with calls of chat",
           lambda block, _: mark_of(block, "openai", "/signed") is not None, "signature"),
    Unsent(am.ToolUseBlock, "the clients send arguments that are no JSON object inside one", lambda block, _:
           block.kind == "function" and block.raw_input and block.is_valid and not is_mapping(block.input)),
    Unsent(am.ToolUseBlock, "ChatBedrockConverse sends calls that the server ran as the client's", lambda block, _:
           block.kind == "server" and block.provider == "bedrock"),
    Unsent(am.ToolResultBlock, "ChatGoogleGenerativeAI doesn't say that a tool failed",
           lambda block, _: mark_of(block, "gemini", "/word") == "error", "status", is_given=True),
    Unsent(am.ToolResultBlock, "ChatGoogleGenerativeAI sends media of a result beside it",
           lambda block, _: mark_of(block, "gemini", "/parts") is not None, is_given=True),
)  # fmt: skip


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
        "provider": usually("value not in words", words=PROVIDER_OF)(lambda word, _: PROVIDER_OF.get(word, word)),
        "api": lambda api, message: api if given(message.provider) == OPENAI and api in OBJECT_OF else None,
        "finish_reason": usually("value not in words", words=NATIVE_STOPS)(
            lambda word, _: NATIVE_STOPS.get(word, word)
        ),
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
