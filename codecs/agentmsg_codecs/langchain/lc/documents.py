"""Containers of envelopes: lists, states, prompt values, generations, runs of a tracer; see trees.py."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from agentmsg import DecodeError
from agentmsg.formats import Native, excerpt, is_list, is_mapping, is_object, is_sequence
from agentmsg_codecs.langchain.lc.escape import escape_all, unescape_all
from agentmsg_codecs.langchain.trees import Contents, Trees, listed

ENVELOPE_KEYS = frozenset({"lc", "type", "id", "kwargs"})
# The objects of LangChain that hold messages, by the last word of their id.
_HOLDERS = frozenset({"ChatPromptValue", "ChatPromptValueConcrete", "ChatGeneration", "ChatGenerationChunk"})


def is_envelope(native: Any) -> bool:
    """Whether a value is an envelope of dumpd for an object that a class makes."""
    if not is_mapping(native) or native.get("lc") != 1 or native.get("type") != "constructor":
        return False
    own = native.get("id")
    if type(native["lc"]) is not int or not is_mapping(native.get("kwargs")):
        return False
    return is_sequence(own) and set(map(type, own)) == {str}


def is_message(native: Any) -> bool:
    """Whether a value is an envelope of a message, by the name of its class."""
    return is_envelope(native) and native["id"][-1].endswith(("Message", "MessageChunk"))


TREES = Trees(is_message, itemgetter("kwargs"), unescape_all, escape_all)


def contents_of(document: Any) -> Contents:
    """Return a document taken apart.

    Raises:
        DecodeError: if it holds no messages at the places where LangChain puts them, or would not come back.
    """
    if is_list(document):
        return TREES.pair(document) or TREES.rows(document) or Contents("list", listed(document), {})
    if is_message(document):
        return Contents("single", [((), document)], {})
    if not is_object(document):
        raise DecodeError(f"envelopes of LangChain are objects, not {excerpt(document)}")
    if is_envelope(document):
        own: list[Any] = document["id"]
        if own[-1] not in _HOLDERS or len(document) != len(ENVELOPE_KEYS):
            raise DecodeError(f"neither a message nor a prompt value or generation of LangChain: {excerpt(own)}")
        return _tree(document["kwargs"], document, own)
    if "lc" in document:
        raise DecodeError(f"not a message of LangChain: {excerpt(document)}")
    natives = document.get("messages")
    if is_list(natives) and (not natives or is_object(natives[0])):
        rest, marks = unescape_all({key: value for key, value in document.items() if key != "messages"})
        return Contents("messages", listed(natives, "messages"), rest, marks)
    return _tree(document, document, None)


def _tree(tree: Native, document: Native, holder: list[Any] | None) -> Contents:
    contents = TREES.contents(tree, document, holder)
    if contents is None:
        raise DecodeError("no envelopes of LangChain where a document has them, or what stands around them is odd")
    return contents
