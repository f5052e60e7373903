"""The capability table: what messages for models support, and the rules for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    Caps,
    Cell,
    Drop,
    MessageRow,
    Swap,
    carried_extras,
    cells,
    dump_json,
    is_marked,
    issuers,
    mark_of,
    media,
    natives,
    restructure,
    rules,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.vercel.calls import SIGNERS, are_options, is_denial, runner_of
from agentmsg_codecs.vercel.media import data_in, is_url
from agentmsg_codecs.vercel.names import FAMILY, PROVIDER_OPTIONS, USUAL
from agentmsg_codecs.vercel.unsent import UNSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg_codecs.vercel import VercelCodec


# -- media -------------------------------------------------------------------------------------------------------------


def carried(*, is_typed: bool, inner: bool = False) -> Callable[[Any], Any]:
    """Return the rule for media.

    Args:
        is_typed: whether they need a media type.
        inner: whether they are inside a result.
    """

    def rule(block: Any) -> Any:
        source, kind = block.source, media.KINDS[type(block)]
        # The SDK's clients drop a text that is a file of a result.
        is_said = inner and isinstance(source, am.TextSource) and mark_of(block, FAMILY, "/as") is None
        if isinstance(source, am.BlocksSource) or is_said:
            near = rules.document_as_text(block) if kind == "file" else block
            return Drop("this kind of source isn't supported") if near is block else near
        if isinstance(source, am.FileSource) and source.provider is None and not (inner and kind in ("image", "file")):
            return Drop("a file belongs to a provider here")
        if isinstance(source, am.TextSource) and kind not in ("file", media.kind_of(source.media_type)):
            return Drop("this kind of source isn't supported")
        read = source
        if isinstance(source, am.URLSource) and not inner and not is_marked(source, FAMILY, "/tag"):
            if not is_url(source.url):
                return Drop("a URL is absolute here")
            read = data_in(source) or source
        return settled(block, _bare(_typed(read, kind, is_typed=is_typed, inner=inner)), "media tell their type here")

    return rule


def settled(block: Any, source: Any, why: str) -> Any:
    """Return a rule's answer for media with another source: a file becomes what its media type tells.

    Args:
        block: the media.
        source: the source to write.
        why: the reason for another source.
    """
    told = media.kind_of(source.media_type)
    if isinstance(block, am.FileBlock) and told != "file":
        near = media.CLASSES[told](source, cache=block.cache)
        return Swap(near, "the media type tells what it is here", "annotation")
    return block if source is block.source else Swap(block.evolve(source=source), why, "annotation")


def likely_type(source: Any, kind: str) -> str:
    """Return the media type for a source of a kind that lacks one: from its data, else the usual one.

    Clients refuse a document by address that isn't said to be a PDF, and those that providers read are.
    """
    if kind == "file" and isinstance(source, am.URLSource):
        return "application/pdf"
    guess = media.guess_media_type(source.data) if isinstance(source, am.Base64Source) else None
    return guess if guess is not None and media.kind_of(guess) == kind else USUAL[kind]


def _typed(source: Any, kind: str, *, is_typed: bool, inner: bool) -> Any:
    """Return a source with a media type of its kind, if one is needed."""
    told = source.media_type
    if told is not None and media.kind_of(told) == kind:
        return source
    if kind == "image" and not is_typed:
        return source
    if kind == "file" and (told is not None or (inner and isinstance(source, (am.URLSource, am.FileSource)))):
        return source
    return source.evolve(media_type="text/plain" if isinstance(source, am.TextSource) else likely_type(source, kind))


def _bare(source: Any) -> Any:
    """Return a source without extras, except for a reference's ids at other providers."""
    if not source.extras:
        return source
    has_ids = isinstance(source, am.FileSource) and source.provider is not None
    own: Mapping[str, Any] = natives.extras_of(source, FAMILY)
    kept = {
        key: own[key] for key in own if has_ids and isinstance(own[key], str) and key not in ("type", source.provider)
    }
    if source.extras.keys() == {FAMILY} and kept and len(kept) == len(own):
        return source
    return source.evolve(extras={FAMILY: kept} if kept else {})


# -- blocks that this format represents differently, or lacks ----------------------------------------------------------


def thinking(block: am.ThinkingBlock) -> Any:
    """Keep thinking; drop it if only a provider without a place here can read it."""
    signer = None if block.signature is None else block.signature.provider
    if signer is not None and not block.thinking and mark_of(block, "openai", "/place") is not None:
        return Drop("the SDK sends nothing of what is encrypted to Chat Completions")
    if block.thinking or block.redacted is not None or signer is None or signer in SIGNERS:
        return block
    return Drop(f"only {signer} can read this")


def compaction(block: am.CompactionBlock) -> Any:
    """Keep a summary that OpenAI can read; express any other in words."""
    is_own = block.encrypted is not None and block.text is None and not issuers.is_foreign(block, FAMILY, ("openai",))
    return block if is_own else rules.compaction_as_text(block)


def request(block: am.ApprovalRequestBlock) -> Any:
    """Keep a request for approval that says for which call."""
    return Drop("a request for approval has the id of its call here") if block.tool_call_id is None else block


def needs_id(block: Any) -> bool:
    """Whether a call or result must be given an id; a server tool's call may use its item's."""
    if isinstance(block, am.ToolUseBlock):
        return block.id is None and not (block.kind == "server" and block.item_id)
    return block.tool_call_id is None


def call(block: am.ToolUseBlock) -> Any:
    """Keep a call; one of a custom tool becomes a function call, and a server tool's without an id gets its item's."""
    if block.kind != "server":
        return rules.custom_as_function(block)
    link = block.id if block.id is not None else block.item_id
    runner = runner_of(link)
    if link is block.id and (runner is None or runner == block.provider):
        return block
    return Swap(block.evolve(id=link, provider=runner), "the id of a call tells who runs it here", "annotation")


def named(message: am.Msg) -> Any:
    """Give the results of server tools the names of their calls."""
    calls = {block.id: block.name for block in message.content if isinstance(block, am.ToolUseBlock)}

    def change(block: Any) -> Any:
        is_told = _is_nameless(block) and block.tool_call_id in calls
        return block.evolve(name=calls[block.tool_call_id]) if is_told else block

    new = natives.with_each(message, change)
    return message if new is message else Swap(new, "a result names its tool here", "annotation")


def _is_nameless(block: Any) -> bool:
    return isinstance(block, am.ToolResultBlock) and block.name is None and not is_marked(block, FAMILY, "/unnamed")


def server_result(block: am.ToolResultBlock) -> Any:
    """Keep the result of a server tool."""
    return with_runner(block, result(block)) if block.kind == "server" else rules.result_as_text(block)


def with_runner(block: am.ToolResultBlock, answer: Any) -> Any:
    """Return a rule's answer for the result of a server tool, with the provider that the id tells."""
    runner = runner_of(block.tool_call_id)
    if runner is None or runner == block.provider or isinstance(answer, Drop):
        return answer
    new = answer.new if isinstance(answer, Swap) else block
    level = answer.level if isinstance(answer, Swap) else "annotation"
    return Swap(new.evolve(provider=runner), "the id of a call tells who runs it here", level)


def result(block: am.ToolResultBlock) -> Any:
    """Express a result as words, as a value, as parts, or as a denial."""
    if is_denial(block):
        return block
    status = "error" if block.is_error else None
    content, structured = block.content, block.structured
    words = block.error if block.error is not None and block.error not in block.text else None
    changes: dict[str, Any] = {}
    level: Any = "annotation"
    if structured is not None and (content or words is not None):
        if words is None and dump_json(structured).decode() == block.text:
            content = ()
        else:
            changes["structured"] = structured = None
            level = "content"
    if words is not None:
        content = (*content, am.TextBlock(words))
    is_one = len(content) == 1 and natives.is_bare_text(content[0], FAMILY)
    if status == "error" and structured is None and content and not is_one:
        texts = [item if isinstance(item, am.TextBlock) else rules.as_text(item) for item in content]
        level = "content" if None in texts else level
        said = [text.text for text in texts if text is not None]
        content = (am.TextBlock("\n".join(said)),) if any(said) else ()
    if content is not block.content:
        changes["content"] = content
    if block.error is not None:
        changes["error"] = None
    if status != block.status:
        changes["status"] = status
    # The cell leaves out a status that means success, for which there is no place.
    if not changes or (changes.keys() == {"status"} and status is None):
        return block
    return Swap(block.evolve(**changes), "a result is told in one way here", level)


# -- the table ---------------------------------------------------------------------------------------------------------

_KEYS = frozenset({"role", "content"})
_TYPED = dict.fromkeys(media.KINDS, carried(is_typed=True))


def _keys_of_system(message: am.Msg) -> frozenset[str]:
    """Return the keys of a system message: options beside its text are the text's."""
    return _KEYS | {PROVIDER_OPTIONS} if message.content else _KEYS


def _is_odd(message: am.Msg, key: str, value: Any) -> bool:
    """Whether a value under the key of options comes back as an extra: it isn't options, nor has the text any."""
    if key != PROVIDER_OPTIONS or (value and are_options(value)):
        return False
    return all(natives.is_bare_text(block.evolve(notes={}), FAMILY) for block in message.content)


def make_caps(codec: VercelCodec) -> Caps:
    """Return the capability table."""
    messages = codec.engine
    rows = Rows(messages.described)
    place = rows.place
    text = place("system", {})[am.TextBlock].fields
    system = rules.one_text_row(
        {"extras": carried_extras((FAMILY, _keys_of_system), odd=_is_odd)},
        # Such a text may have options, but no other keys.
        {**text, "extras": cells.without(text["extras"], FAMILY, lambda own, _: own)},
    )
    fields: dict[str, Cell] = {"extras": cells.beside((FAMILY, _KEYS))}
    user = place("user", {**_TYPED, am.ImageBlock: carried(is_typed=False)})
    assistant = place("assistant", {
        **_TYPED, am.AudioBlock: rules.spoken(_TYPED[am.AudioBlock]), am.ThinkingBlock: thinking,
        am.ToolUseBlock: (call, "kind"), am.ToolResultBlock: server_result, am.CompactionBlock: compaction,
        am.ApprovalRequestBlock: request,
    })  # fmt: skip
    inner = place("inner", dict.fromkeys(media.KINDS, carried(is_typed=False, inner=True)))
    user[am.ApprovalResponseBlock] = rows.row("response")
    answer = rows.row("result", rules={am.ToolResultBlock: result})
    return Caps(
        messages={
            "system": system,
            "developer": MessageRow(otherwise=rules.role_rule("system")),
            "user": MessageRow(fields=fields, blocks=user),
            "assistant": MessageRow(
                fields=fields, blocks=assistant, results=inner, otherwise=named, concerns=am.ToolResultBlock
            ),
            "tool": MessageRow(fields=fields, blocks={am.ToolResultBlock: answer}, results=inner),
            **rules.other_rows(FAMILY, messages.message_of),
        },
        arrange=(restructure.split_results, restructure.split_decisions),
        needs_id=needs_id,
        derives_names=True,
        unsent=UNSENT,
    )
