"""Rows of training data: a document is a row with a column of messages, a list of messages, or one message.

Media may be in a column of addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.formats.bodies.pairs import REJECTED
from agentmsg.formats.capabilities import Drop, Swap
from agentmsg.formats.codec import Codec
from agentmsg.formats.natives import coming_back, extras_of
from agentmsg.formats.spelling import same_document
from agentmsg.model import media
from agentmsg.model.blocks import AudioBlock
from agentmsg.model.construction import maker
from agentmsg.model.history import History
from agentmsg.model.sources import Base64Source, URLSource
from agentmsg.values.frozen import EMPTY, adopt, thaw
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from agentmsg.formats.bodies.tools import ToolColumn
    from agentmsg.formats.capabilities import Cell
    from agentmsg.formats.shapes import Native
    from agentmsg.model.msg import Msg

_MANY = "this is a list of rows, and one row is a document: read each, or a file that has one on each line (load_lines)"
_make_history = maker(History)
_make_url = maker(URLSource)


class RowCodec(Codec):
    """Base of codecs for rows of training data."""

    writes_plain: ClassVar[bool] = True
    is_rows: ClassVar[bool] = True

    def natives_in(self, document: Any) -> Iterable[Any]:
        """Yield the native messages of a document; may raise AgentMsgError."""
        raise NotImplementedError

    def native_messages(self, document: Any) -> list[Any]:
        """Return the native messages of a row, a list, or one message."""
        try:
            return list(self.natives_in(document))
        except AgentMsgError:
            return document if is_list(document) else [document]

    def history(self, messages: Iterable[Msg], columns: Native, note: Native, tools: ToolColumn) -> History:
        """Return the history of a row.

        Args:
            messages: as they were read.
            columns: the other columns; those of tools are removed.
            note: about the row.
            tools: the column of tools.
        """
        found = tools.read(columns.get("tools"))
        if found is not None:
            del columns["tools"]
            note = {**note, **found[1]}
        return _make_history(
            tuple(messages),
            tools=() if found is None else found[0],
            extras=adopt({self.family: columns}) if columns else EMPTY,
            notes=adopt({self.family: note}) if note else EMPTY,
        )

    def extras_cell(self, owner: str = "") -> Cell:
        """Return the cell for the extras of a history: other columns and a rejected answer, as they are read again.

        Args:
            owner: whose extras have the rejected answer, if that is another format.
        """
        family = self.family

        def again(extras: Mapping[str, Any], history: History) -> Mapping[str, Any] | None:
            """Return the extras that are read beside the messages; None if some are read in place of these."""
            try:
                back = self.read(self.write(history.evolve(extras=extras)))
            except AgentMsgError:
                return None
            is_same = [message.role for message in back] == [message.role for message in history]
            is_own = extras_of(back, family).keys() <= extras.get(family, EMPTY).keys()
            return back.extras if is_same and is_own else None

        def cell(extras: Mapping[str, Any], history: History) -> Mapping[str, Any]:
            own, pair = extras_of(history, family), extras_of(history, owner)
            others = {owner: {REJECTED: pair[REJECTED]}} if REJECTED in pair else {}
            if not own and not others:
                return EMPTY
            kept = coming_back(own, lambda columns: again({**others, family: columns}, history) is not None)
            found = again({**others, family: kept}, history) or EMPTY
            return extras if same_document(thaw(found), thaw(extras)) else found

        return cell


def sources_at(addresses: list[Any]) -> list[URLSource | Base64Source] | None:
    """Return the sources at the addresses in a column; None if one of them isn't an address."""
    if not all(type(address) is str and address for address in addresses):
        return None
    found = [media.read_data_url(address) or _make_url(url=address) for address in addresses]
    return found if list(map(media.write_url, found)) == addresses else None


def as_address(block: Any, *, is_empty: bool = True) -> Any:
    """Return a rule's answer for media in a column of addresses: they have a URL or data, and nothing more.

    Args:
        block: the media.
        is_empty: whether an address may be empty.
    """
    source = block.source
    if not isinstance(source, (URLSource, Base64Source)) or not (is_empty or media.write_url(source)):
        from agentmsg.formats.rules import audio_as_text  # noqa: PLC0415 - readers need no rules

        said = audio_as_text(block) if isinstance(block, AudioBlock) else block
        return said if said is not block else Drop("media are given by URL or as data here")
    new = media.as_url(source, is_untyped=True)
    return block if new is source else Swap(block.evolve(source=new), "a URL says nothing else here", "annotation")


def check_document(document: Any, is_row: Callable[[Any], bool]) -> None:
    """Check that a document is an object or a list, but not a list of rows.

    Args:
        document: plain data.
        is_row: whether an item of a list is a row.

    Raises:
        DecodeError: if it isn't.
    """
    if is_list(document) and document and is_row(document[0]):
        raise DecodeError(_MANY)
    if not is_list(document) and not is_object(document):
        raise DecodeError(f"a row must be an object, not {excerpt(document)}")
