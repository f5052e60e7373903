"""Everything that a codec needs besides the model in ``agentmsg``: one import for our codecs and yours.

May import ``model`` and what lies below it. A codec imports from ``agentmsg`` and from here, and from nothing deeper.

| names | what they are |
| --- | --- |
| Codec | the base class: reader, writer, options |
| Caps, MessageRow, Row, Cell, Rule | the capability table: what a format supports, by role, class and field |
| because | why a writer without a table doesn't write something as it is |
| KEEP, Drop, Swap, ANY_ROLE, usually, carried_extras | its cells: supported, dropped, swapped for the nearest |
| Unsent | its rows of what a document holds, and a library's client doesn't send |
| Shape, Unreadable, Native | how one kind of native object corresponds to one class |
| read_as, write_as | reading and writing by shape: unknown fields become extras, odd spellings a note |
| text_at, word_at, object_at | a field of a native object, or Unreadable |
| mark_of, marked, is_marked | a reader's named notes on an object |
| note_of, with_note, same_document | notes, and whether two documents are the same |
| Parts | content parts and blocks, by a table of shapes |
| ContainerCodec, Containers | how a document holds its messages: a list, one message, a key |
| CallNames | the names of calls, for their results |
| maker, EMPTY, adopt | make objects without checks; adopt free-form JSON |
| is_list, is_mapping, is_object, is_sequence | type checks for plain values that type checkers understand |
| parse_json, dump_json, Duplicates | JSON text, exactly |
| excerpt, given | a value for an error message; a document's value, as opposed to one that we made |

The rest is in modules, such as ``rules.call_as_function``:

| module | what is in it |
| --- | --- |
| blocks | the tags of blocks, and their common fields |
| cells | cells of capability tables that several formats share |
| dispatch | tables from tags and classes to functions, by cattrs; ``freeze`` for hooks of free-form values |
| envelopes | how a framework keeps the answers of providers: ``Envelope`` |
| grouping | which messages share one native container: ``Grouping`` says it |
| issuers | who made an opaque payload, by the name of the model |
| made_ids | ids for documents that have none |
| media | ``data:`` URLs and media types |
| natives | shared by many formats: messages kept whole, roles, ids, arguments |
| restructure | split, lift and merge messages |
| rules | what to do with values that a format doesn't support |
| speed | tools for fast readers and writers |
| spelling | how a document spelt its values |
| times | times as formats write them |
| tool_arguments | the arguments of calls, for formats that want an object or a text |
| tool_links | which result belongs to which call |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.lazy import later

if TYPE_CHECKING:
    from agentmsg.errors import excerpt
    from agentmsg.formats import (
        cells,
        dispatch,
        envelopes,
        grouping,
        issuers,
        made_ids,
        natives,
        restructure,
        rules,
        speed,
        spelling,
    )
    from agentmsg.formats.capabilities import (
        ANY_ROLE,
        KEEP,
        Caps,
        Cell,
        Drop,
        MessageRow,
        Row,
        Rule,
        Swap,
        Unsent,
        carried_extras,
        usually,
    )
    from agentmsg.formats.codec import Codec
    from agentmsg.formats.containers import ContainerCodec, Containers
    from agentmsg.formats.natives import is_marked
    from agentmsg.formats.parts import Parts
    from agentmsg.formats.reasons import because
    from agentmsg.formats.shapes import (
        Native,
        Shape,
        Unreadable,
        mark_of,
        marked,
        object_at,
        read_as,
        text_at,
        word_at,
        write_as,
    )
    from agentmsg.formats.spelling import note_of, same_document, with_note
    from agentmsg.model import blocks, media, times, tool_arguments, tool_links
    from agentmsg.model.construction import maker
    from agentmsg.model.generated import given
    from agentmsg.model.tool_links import CallNames
    from agentmsg.values.frozen import EMPTY, adopt
    from agentmsg.values.text import Duplicates, dump_json, parse_json
    from agentmsg.values.types import is_list, is_mapping, is_object, is_sequence

# The home of each name, which is imported on first use.
_HOMES = {
    "agentmsg.errors": "excerpt",
    "agentmsg.formats.": "cells dispatch envelopes grouping issuers made_ids natives restructure rules speed spelling",
    "agentmsg.formats.capabilities": (
        "ANY_ROLE Caps Cell Drop KEEP MessageRow Row Rule Swap Unsent carried_extras usually"
    ),
    "agentmsg.formats.codec": "Codec",
    "agentmsg.formats.containers": "ContainerCodec Containers",
    "agentmsg.formats.natives": "is_marked",
    "agentmsg.formats.parts": "Parts",
    "agentmsg.formats.reasons": "because",
    "agentmsg.formats.shapes": "Native Shape Unreadable mark_of marked object_at read_as text_at word_at write_as",
    "agentmsg.formats.spelling": "note_of same_document with_note",
    "agentmsg.model.": "blocks media times tool_arguments tool_links",
    "agentmsg.model.construction": "maker",
    "agentmsg.model.generated": "given",
    "agentmsg.model.tool_links": "CallNames",
    "agentmsg.values.frozen": "EMPTY adopt",
    "agentmsg.values.text": "Duplicates dump_json parse_json",
    "agentmsg.values.types": "is_list is_mapping is_object is_sequence",
}

__all__ = [
    "ANY_ROLE",
    "EMPTY",
    "KEEP",
    "CallNames",
    "Caps",
    "Cell",
    "Codec",
    "ContainerCodec",
    "Containers",
    "Drop",
    "Duplicates",
    "MessageRow",
    "Native",
    "Parts",
    "Row",
    "Rule",
    "Shape",
    "Swap",
    "Unreadable",
    "Unsent",
    "adopt",
    "because",
    "blocks",
    "carried_extras",
    "cells",
    "dispatch",
    "dump_json",
    "envelopes",
    "excerpt",
    "given",
    "grouping",
    "is_list",
    "is_mapping",
    "is_marked",
    "is_object",
    "is_sequence",
    "issuers",
    "made_ids",
    "maker",
    "mark_of",
    "marked",
    "media",
    "natives",
    "note_of",
    "object_at",
    "parse_json",
    "read_as",
    "restructure",
    "rules",
    "same_document",
    "speed",
    "spelling",
    "text_at",
    "times",
    "tool_arguments",
    "tool_links",
    "usually",
    "with_note",
    "word_at",
    "write_as",
]

__getattr__ = later(globals(), _HOMES)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
