"""The sending rules: the requests that generateContent refuses.

Where a rule has a public source, that is a thread on github.com: owner/repository#number.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import grouping, is_mapping
from agentmsg.formats.sending import (
    PAIRING,
    Change,
    Edit,
    Mending,
    Path,
    Request,
    SendingRule,
    clearing,
    is_base64,
    limits,
    usual,
)
from agentmsg_codecs.gemini.names import FAMILY, PROVIDER
from agentmsg_codecs.gemini.schemas import are_keywords_known
from agentmsg_codecs.gemini.settings import SETTINGS
from agentmsg_codecs.wire.signatures import UNSIGNED

if TYPE_CHECKING:
    from collections.abc import Iterator


def _odd_signatures(request: Request) -> Iterator[Path]:
    for index, at, block in request.all_blocks():
        signed = block.signature
        # encode leaves out the signatures of other providers.
        if signed is None or signed.provider != PROVIDER:
            continue
        if signed.value != UNSIGNED and not is_base64(signed.value, "padded"):
            yield ("messages", index, "content", at, "signature")


def _unsigned(request: Request) -> Iterator[Path]:
    """Yield the first call of each step of an unfinished turn if it is unsigned: newer models want a signature."""
    messages = request.messages
    if not messages or messages[-1].role != "tool":
        return
    start = max((index for index, message in enumerate(messages) if message.role == "user"), default=-1)
    for index, message in enumerate(messages[start + 1 :], start + 1):
        calls = [at for at, block in enumerate(message.content) if isinstance(block, am.ToolUseBlock)]
        if message.role == "assistant" and calls and message.content[calls[0]].signature is None:
            yield ("messages", index, "content", calls[0])


def _sign(mending: Mending) -> Iterator[Edit]:
    """Sign with the text that the API accepts for calls of other models."""
    for path in mending.paths:
        yield Change((*path, "signature"), am.Signature(PROVIDER, UNSIGNED), "annotation")


def _calls_after_model(request: Request) -> Iterator[Path]:
    """Yield the model's messages with calls right behind another one of its messages."""
    for (_, before), (index, message) in pairwise(usual.turns(request)):
        if (
            before.role == message.role == "assistant"
            and _is_calling(message)
            and not grouping.seat_of(message, FAMILY)
        ):
            yield ("messages", index)


def _results_apart(request: Request) -> Iterator[Path]:
    """Yield the results that begin another content right behind a result."""
    for index, (before, message) in enumerate(pairwise(request.messages), 1):
        if before.role == message.role == "tool" and grouping.seat_of(message, FAMILY) == 0:
            yield ("messages", index)


def _is_calling(message: am.Msg) -> bool:
    return any(call.kind != "server" for call in message.tool_calls)


def _odd_keywords(request: Request) -> Iterator[Path]:
    """Yield the schemas that should be OpenAPI's and aren't.

    "Unknown name ... Cannot find field" (recorded), "Invalid value at '...enum[0]' (TYPE_STRING), 2"
    (microsoft/azure-devops-mcp#145), "...items: missing field"
    (kkrishnan90/gemini-desktop#7).
    """
    for index, tool in enumerate(request.history.tools):
        if isinstance(tool, am.ToolSpec) and not are_keywords_known(tool.parameters, tool):
            yield ("tools", index, "parameters")
    settings = request.history.settings
    form = None if settings is None else settings.response_format
    if is_mapping(form) and not are_keywords_known(form.get("schema"), settings):
        yield ("settings", "response_format")


# As the API's errors say: "it has a stopSequences value of 10 but the supported range is from 1 (inclusive) to 6
# (exclusive)", "Function calling config is set without function_declarations", "allowed_function_names should be a
# subset of the provided function_declarations", "Function calling with a response mime type: 'application/json' is
# unsupported".
LIMITS = (
    limits.between("max_tokens", 1),
    *SETTINGS.ranges(),
    limits.between("top_k", 1),
    limits.few_stops(5),
    *limits.offered_tools(FAMILY),
    limits.known_choice(FAMILY),
    limits.accepting(
        "response_format",
        lambda value, _: value if value == "text" else None,
        "only newer models answer in JSON",
        "leave out the format",
        when=limits.with_tools(FAMILY),
        severity="warning",
    ),
)
RULES: tuple[Any, ...] = (
    # "GenerateContentRequest.contents: contents is not specified" (ikechan8370/chatgpt-plugin#733).
    usual.no_messages("there are no contents"),
    *LIMITS,
    usual.first_role("the first content isn't a user's", applies=lambda message: not _is_calling(message)),
    # "Please ensure that function call turn comes immediately after a user turn or after a function response turn": for
    # the first content, this is certain (google-gemini/gemini-cli#11814).
    usual.first_role("the first content calls tools", applies=_is_calling, code="call-first", severity="error"),
    SendingRule(
        "call-place",
        _calls_after_model,
        "calls come right after a user's content or results",
        'join the messages (the option turns="merged")',
        severity="warning",
    ),
    # "Please ensure that the number of function response parts is equal to the number of function call parts of the
    # function call turn" (google-gemini/gemini-cli#16543).
    SendingRule("result-count", _results_apart, "the results of one turn share a content", "put them into one"),
    # "GenerateContentRequest.contents[1].parts: contents.parts must not be empty" (egoist/chatwise-releases#250) and,
    # for all that pairs otherwise, the error above.
    usual.empty_messages("the content has no parts"),
    *PAIRING,
    # The API said "Invalid value at 'contents[6].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed"
    # (google-gemini/gemini-cli#14368), and media are of this type, too.
    usual.data_encoding("padded"),
    SendingRule("signature-encoding", _odd_signatures, "the signature isn't base64", "leave it out", mend=clearing()),
    SendingRule(
        "signature-missing",
        _unsigned,
        "newer models want the signature of the first call of a step",
        "mark it as another model's",
        mend=_sign,
        severity="warning",
    ),
    # As documented: "a-z, A-Z, 0-9, or contain underscores, colons, dots, and dashes".
    usual.tool_names(128, "a-zA-Z0-9_.:-", "letters, digits, _ . : and -"),
    *usual.object_schemas(severity="warning"),
    SendingRule(
        "schema-keyword",
        _odd_keywords,
        "parameters and responseSchema take the keywords of OpenAPI only",
        "give the schema as parametersJsonSchema or responseJsonSchema",
    ),
    usual.arguments(),
)
