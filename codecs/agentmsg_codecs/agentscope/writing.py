"""Writing one native message in its default spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import Native, is_bare_text, is_object, mark_of
from agentmsg_codecs.agentscope.replies import last_said, role_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import agentmsg as am
    from agentmsg_codecs.agentscope.dialect import Dialect


def write_container(dialect: Dialect, group: Sequence[am.Msg], content: Any) -> Native:
    """Return the native message of a group, with this content."""
    first = last = group[0]
    role = first.role
    if len(group) > 1:
        kinds = [message.role for message in group]
        role, last = role_of(kinds), group[last_said(kinds)]
    word = dialect.usual_role(role)
    if first.notes:
        found = mark_of(first, dialect.family, "/role")
        if type(found) is str and _is_word_for(dialect, found, role):
            word = found
    native = dialect.write_plain(first, last, word, content)
    if dialect.has_urls and len(group) == 1:
        urls = dialect.media.urls_of(first.content)
        if urls:
            is_text = len(urls) == 1 and mark_of(first, dialect.family, "/url") == "text"
            native["url"] = urls[0] if is_text else urls
    return native


def write_alone(dialect: Dialect, message: am.Msg) -> Native:
    """Return the native message of one that has no notes, in a dialect whose content is always a list of parts."""
    role = message.role
    word = dialect.usual_role(role)
    return dialect.write_plain(message, message, word, _parts(dialect, role, message.content))


def _is_word_for(dialect: Dialect, word: str, role: str) -> bool:
    found = dialect.model_role(word)
    return found is not None if role == "tool" else found == role


def write_content(dialect: Dialect, group: Sequence[am.Msg]) -> Any:
    """Return the content of a group: a list of parts, or a text."""
    if len(group) > 1:
        return [part for message in group for part in _parts(dialect, message.role, message.content)]
    first = group[0]
    blocks: Any = first.content
    if dialect.has_urls and blocks and blocks[-1].notes:
        blocks = blocks[: len(blocks) - len(dialect.media.urls_of(blocks))]
    if (dialect.is_brief or first.notes) and len(blocks) == 1 and is_bare_text(blocks[0], dialect.family):
        other = mark_of(first, dialect.family, "/list" if dialect.is_brief else "/str") if first.notes else None
        if (other is True) is not dialect.is_brief:
            return blocks[0].text
    parts = _parts(dialect, first.role, blocks)
    if first.notes and len(parts) == 1 and mark_of(first, dialect.family, "/one") is True:
        # Some native block that has no kind would be no content.
        return parts[0] if is_object(parts[0]) and type(parts[0].get("type")) is str else parts
    return parts


def _parts(dialect: Dialect, role: str, blocks: Any) -> list[Any]:
    return list(map(dialect.write_result if role == "tool" else dialect.parts["assistant"].write, blocks))
