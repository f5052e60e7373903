"""Rows of training data: a document is a row with a column of messages, a list of messages, or one message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.formats.codec import Codec
from agentmsg.model.construction import maker
from agentmsg.model.history import History
from agentmsg.values.frozen import EMPTY, adopt
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agentmsg.formats.bodies.tool_column import ToolColumn
    from agentmsg.formats.shapes import Native
    from agentmsg.model.msg import Msg

__all__ = ["RowCodec", "check_document"]

_MANY = "this is a list of rows, and one row is a document: read each, or a file that has one on each line (load_lines)"
_make_history = maker(History)


@attrs.frozen(kw_only=True)
class RowCodec(Codec):
    """Base of codecs for rows of training data."""

    writes_plain: ClassVar[bool] = True

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
