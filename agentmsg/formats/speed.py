"""Tools for fast readers and writers, besides ``maker``; each is explained in its module.

model.construction     draft_class, nested_maker, replacer, setter: make and change objects without their class's
                       checks; says_only
model.made_links       as_made: the links of results whose calls had no ids
model.remembering      Seen (and body_of): bytes written or read before; reader_of, remember_reader:
                       spellings that need no test
model.tool_links       name_result: name a result that was just made
lazy                   once, FILLING, Later: tables filled on first use; compiled: patterns
formats.capabilities   Usual: an inline test for values that a cell keeps
formats.records        Record: the base of descriptions, defined without the cost of an attrs class
formats.events         More (there): what most events of a stream say, without objects of the model
formats.plain_messages  how_bare, NAMED, make_said ..., link_bare: messages that are known to hold only content
values.trusted_text     parse_undoubted, is_shallow: text that says no more than its value
values.text            parse_arguments, UNUSUAL: the same of arguments; dump_with_times, time_text: times, faster than
                       the standard library
values.frozen          plain_copy: free-form JSON of its own
values.copies          copy_document, copy_part: a caller's data, copied no more than needed;
                       one_level: frozen values for writers that take only plain ones
values.peeking         peek, peek_keys ...: look into frozen mappings without freezing anything
values.depth, limits   PROVABLE, written_within, AROUND, DEFAULT_LIMITS, USUAL: prove depth by writing a value;
                       beyond: what is told of an input beyond a limit
"""

from __future__ import annotations

from agentmsg.formats.capabilities import Usual
from agentmsg.formats.plain_messages import (
    NAMED,
    SAID,
    how_bare,
    link_bare,
    make_said,
    make_said_in,
)
from agentmsg.formats.records import Record
from agentmsg.lazy import FILLING, Later, compiled, once
from agentmsg.limits import AROUND, DEFAULT_LIMITS, USUAL, beyond
from agentmsg.model.construction import draft_class, replacer, says_only, setter
from agentmsg.model.history import body_of, without_messages
from agentmsg.model.made_links import as_made
from agentmsg.model.remembering import Seen, reader_of, remember_reader
from agentmsg.model.tool_links import name_result
from agentmsg.values.copies import copy_document, copy_part, one_level
from agentmsg.values.depth import PROVABLE, written_within
from agentmsg.values.frozen import plain_copy
from agentmsg.values.peeking import peek, peek_keys, peek_values
from agentmsg.values.text import UNUSUAL, dump_with_times, parse_arguments, time_text
from agentmsg.values.trusted_text import is_shallow, parse_undoubted

__all__ = [
    "AROUND",
    "DEFAULT_LIMITS",
    "FILLING",
    "NAMED",
    "PROVABLE",
    "SAID",
    "UNUSUAL",
    "USUAL",
    "Later",
    "Record",
    "Seen",
    "Usual",
    "as_made",
    "beyond",
    "body_of",
    "compiled",
    "copy_document",
    "copy_part",
    "draft_class",
    "dump_with_times",
    "how_bare",
    "is_shallow",
    "link_bare",
    "make_said",
    "make_said_in",
    "name_result",
    "once",
    "one_level",
    "parse_arguments",
    "parse_undoubted",
    "peek",
    "peek_keys",
    "peek_values",
    "plain_copy",
    "reader_of",
    "remember_reader",
    "replacer",
    "says_only",
    "setter",
    "time_text",
    "without_messages",
    "written_within",
]
