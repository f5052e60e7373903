"""Forms: describe a format once; readers, writers, capability rows, schemas and tables for people are generated.

A ``Form`` describes how one kind of native object and one class of the model correspond: as data, for both directions.
Any code it needs beyond that is a pair of plain functions (``Via``, ``Hatch``).

| words | what they say |
| --- | --- |
| Form, Described | one kind of native object; all those of a format, and the places where they may occur |
| Key, Const | a key and its field; a key with a constant value |
| Inside | an inner object with more keys of the same |
| Lifted: Place, Beside | the content of a message in several keys, each with some of the blocks |
| Single | keys of a message that make its only block |
| Spread | keys that together make one object of the model |
| Hatch | keys that two plain functions read and write |
| Text, Whole, Total, Number, Truth | strings, numbers, a count that excludes others, true and false |
| Json, Object | any JSON, or any object, unchanged |
| Link, Input, Arguments | the id of a call; its arguments as an object, or as JSON text |
| Spare | a key without a field: its usual value says nothing, any other is an extra |
| Words | a word that the model spells differently |
| Wrapped, Nested, Each | a value that is an object of the model; an object with its own form; a list |
| Content | a text, or the parts of a place |
| Grouped, Rows | the engine of messages that hold the results of several calls; the rows of the capability table |
| Via | a value through two plain functions |

``schemas`` and ``tables`` make the JSON Schema of a format's native objects, and its tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.lazy import later

if TYPE_CHECKING:
    from agentmsg.formats.forms.call_values import Arguments, Content, Input
    from agentmsg.formats.forms.described import Described
    from agentmsg.formats.forms.form import Form
    from agentmsg.formats.forms.grouped import Grouped
    from agentmsg.formats.forms.items import (
        Beside,
        Const,
        Hatch,
        Inside,
        Key,
        Lifted,
        Place,
        Single,
        Spare,
        Spread,
    )
    from agentmsg.formats.forms.object_values import Each, Nested, Wrapped
    from agentmsg.formats.forms.rows import Rows
    from agentmsg.formats.forms.values import (
        Json,
        Link,
        Number,
        Object,
        Text,
        Total,
        Truth,
        Via,
        Whole,
        Words,
    )

_HOMES = {
    "agentmsg.formats.forms.call_values": "Arguments Content Input",
    "agentmsg.formats.forms.described": "Described",
    "agentmsg.formats.forms.form": "Form",
    "agentmsg.formats.forms.grouped": "Grouped",
    "agentmsg.formats.forms.items": "Beside Const Hatch Inside Key Lifted Place Single Spare Spread",
    "agentmsg.formats.forms.object_values": "Each Nested Wrapped",
    "agentmsg.formats.forms.rows": "Rows",
    "agentmsg.formats.forms.values": "Json Link Number Object Text Total Truth Via Whole Words",
}

__all__ = [
    "Arguments",
    "Beside",
    "Const",
    "Content",
    "Described",
    "Each",
    "Form",
    "Grouped",
    "Hatch",
    "Input",
    "Inside",
    "Json",
    "Key",
    "Lifted",
    "Link",
    "Nested",
    "Number",
    "Object",
    "Place",
    "Rows",
    "Single",
    "Spare",
    "Spread",
    "Text",
    "Total",
    "Truth",
    "Via",
    "Whole",
    "Words",
    "Wrapped",
]

__getattr__ = later(globals(), _HOMES)
