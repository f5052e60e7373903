"""Requests between OpenAI and Anthropic, case by case: roles, calls and arguments, results and their links.

Each case has the exact document in the other format, the exact losses, and the source again; see ``converts``.
The content of blocks is in test_openai_anthropic_content.py, responses in test_openai_anthropic_answers.py.
"""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am
from support.conversions import account_of, converts

ASK = {"role": "user", "content": "Which one?"}
PNG = "iVBORw0KGgo="


def call(link: str, name: str, arguments: str) -> dict[str, Any]:
    """Return an OpenAI function call."""
    return {"id": link, "type": "function", "function": {"name": name, "arguments": arguments}}


def calling(*calls: dict[str, Any], content: str | None = None) -> dict[str, Any]:
    """Return an OpenAI assistant message with calls."""
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def answer(link: str, content: str) -> dict[str, Any]:
    """Return an OpenAI tool message."""
    return {"role": "tool", "tool_call_id": link, "content": content}


def use(link: str, name: str, value: Any) -> dict[str, Any]:
    """Return an Anthropic call."""
    return {"type": "tool_use", "id": link, "name": name, "input": value}


def using(*uses: dict[str, Any]) -> dict[str, Any]:
    """Return an Anthropic assistant message with these blocks."""
    return {"role": "assistant", "content": list(uses)}


def results(*parts: dict[str, Any]) -> dict[str, Any]:
    """Return an Anthropic user message with these blocks."""
    return {"role": "user", "content": list(parts)}


def result(link: str, content: Any, **more: Any) -> dict[str, Any]:
    """Return an Anthropic tool result."""
    return {"type": "tool_result", "tool_use_id": link, "content": content, **more}


def forth(messages: list[Any], into: dict[str, Any], *account: str) -> am.Conversion:
    """Check the conversion of OpenAI messages to Anthropic."""
    return converts({"messages": messages}, "openai", "anthropic", into, *account)


def back(body: dict[str, Any], messages: list[Any], *account: str) -> am.Conversion:
    """Check the conversion of an Anthropic body to OpenAI."""
    return converts(body, "anthropic", "openai", {"messages": messages}, *account)


def both(messages: list[Any], body: dict[str, Any]) -> None:
    """Check that each converts to the other, without loss."""
    forth(messages, body)
    back(body, messages)


# -- roles ------------------------------------------------------------------------------------------------------------


def test_a_system_message_first_stands_at_the_top() -> None:
    """The first system message has its own key in Anthropic, and is the first message in OpenAI."""
    both([{"role": "system", "content": "Be brief."}, ASK], {"system": "Be brief.", "messages": [ASK]})


def test_a_system_message_behind_a_user_stays_there() -> None:
    """Anthropic accepts it there, and lifting it to the front would change the order of the conversation."""
    messages = [ASK, {"role": "system", "content": "Now in French."}, ASK]
    both(messages, {"messages": messages})


BRIEF, KIND = {"role": "system", "content": "Be brief."}, {"role": "system", "content": "Be kind."}
SYSTEM = [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Be kind."}]
SAID = {"role": "assistant", "content": "Yes?"}


def test_first_system_messages_are_one_system() -> None:
    """All their blocks are kept in their order; their number is an annotation."""
    into = {"system": SYSTEM, "messages": [ASK]}
    forth([BRIEF, KIND, ASK], into, "messages/1 merged (annotation)")
    developer = {**KIND, "role": "developer"}
    forth([BRIEF, developer, ASK], into, "messages/1 merged (annotation)", "messages/1/role changed (annotation)")


def test_a_system_message_elsewhere_is_lifted() -> None:
    """Anthropic accepts none after an assistant's turn: it moves to the front, a loss of content."""
    into = {"system": "Be kind.", "messages": [ASK, SAID, ASK]}
    forth([ASK, SAID, KIND, ASK], into, "messages/2 moved (content)")
    forth([BRIEF, ASK, SAID, KIND], {"system": SYSTEM, "messages": [ASK, SAID]}, "messages/3 moved (content)")
    lifted = ("messages/1 moved (content)", "messages/3 moved (content)")
    forth([SAID, BRIEF, SAID, KIND], {"system": SYSTEM, "messages": [SAID, SAID]}, *lifted)


def test_neighbouring_system_messages_behind_a_user_are_one() -> None:
    """Anthropic accepts one after a user's turn, so two there become one, in place."""
    into = {"messages": [ASK, {"role": "system", "content": SYSTEM}]}
    forth([ASK, BRIEF, KIND], into, "messages/2 merged (annotation)")


def test_a_system_message_behind_a_result_stays_there() -> None:
    """The results of tools are a user's turn in Anthropic."""
    messages = [ASK, calling(call("call_1", "f", "{}")), answer("call_1", "1"), KIND]
    natives = [ASK, using(use("call_1", "f", {})), results(result("call_1", "1")), KIND]
    both(messages, {"messages": natives})


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [ASK, SAID, KIND]},
        {"messages": [BRIEF, KIND, ASK]},
        {"system": "Be brief.", "messages": [KIND, ASK]},
        {"messages": [ASK, BRIEF, KIND]},
        {"system": "", "messages": [BRIEF, SAID, {"role": "system", "content": ""}, KIND]},
    ],
    ids=str,
)
def test_system_messages_that_were_read_elsewhere_stay_there(body: dict[str, Any]) -> None:
    """An Anthropic document keeps it in its own place, also through OpenAI and the loss report."""
    result = am.convert(body, "anthropic", "openai")
    assert am.encode(am.decode(body, "anthropic"), "anthropic") == body
    assert am.encode(am.restore(am.decode(result.document, "openai"), result.losses), "anthropic") == body


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "blocks": [{"text": "SECRET PLAN"}]},
        {"role": "assistant", "content": None, "audio": {"id": "audio_1"}},
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}]},
        {"role": "assistant", "content": None, "reasoning_content": "Hm."},
        {"role": "user", "content": [{"type": "text", "text": "", "hidden": "SECRET PLAN"}]},
        {"role": "system", "content": "", "hidden": "SECRET PLAN"},
    ],
    ids=str,
)
def test_a_message_of_which_nothing_is_left_goes_too(message: dict[str, Any]) -> None:
    """A message isn't written empty if all its content is unsupported: the loss report has all of it, as content."""
    forth([ASK, message, SAID], {"messages": [ASK, SAID]}, "messages/1 dropped (content)")


def test_who_stands_beside_whom_is_decided_without_what_goes() -> None:
    """A dropped message doesn't separate its neighbours."""
    gone = {"role": "user", "blocks": "x"}
    lost = ("messages/1 dropped (content)", "messages/2 merged (annotation)")
    forth([BRIEF, gone, KIND, ASK], {"system": SYSTEM, "messages": [ASK]}, *lost)
    thought = {"role": "assistant", "content": "", "reasoning": "Hm."}
    forth([ASK, thought, KIND], {"messages": [ASK, KIND]}, "messages/1 dropped (content)")


def test_a_message_that_says_nothing_stays() -> None:
    """An empty message that lost nothing is empty in the other format too."""
    both([ASK, {"role": "assistant", "content": ""}], {"messages": [ASK, {"role": "assistant", "content": ""}]})


def test_a_system_message_that_is_first_but_inline_becomes_the_first() -> None:
    """OpenAI has one form for it, so only the loss report has Anthropic's spelling."""
    messages = [{"role": "system", "content": "Be brief."}, ASK]
    back({"messages": messages}, messages)


def test_a_developer_message_is_a_system_message() -> None:
    """Anthropic has no such role: the loss report has it."""
    lost = "messages/0/role changed (annotation)"
    forth([{"role": "developer", "content": "Be brief."}, ASK], {"system": "Be brief.", "messages": [ASK]}, lost)


def test_a_developer_message_in_the_middle_is_a_system_message_there() -> None:
    """The role changes, the place doesn't."""
    into = {"messages": [ASK, {"role": "system", "content": "Be brief."}]}
    forth([ASK, {"role": "developer", "content": "Be brief."}], into, "messages/1/role changed (annotation)")


def test_neighbours_of_one_role_stay_two_messages() -> None:
    """Neither format requires alternating roles, so nothing is merged."""
    both([ASK, ASK], {"messages": [ASK, ASK]})


# -- results ----------------------------------------------------------------------------------------------------------


def test_results_are_grouped_in_one_user_message_in_their_order() -> None:
    """Results of parallel calls are linked by id: they keep the source's order, whatever that of the calls."""
    both(
        [ASK, calling(call("1", "add", "{}"), call("2", "sub", '{"x":1}')), answer("2", "b"), answer("1", "a"), ASK],
        {
            "messages": [
                ASK,
                using(use("1", "add", {}), use("2", "sub", {"x": 1})),
                results(result("2", "b"), result("1", "a")),
                ASK,
            ]
        },
    )


def test_what_a_user_says_beside_results_is_a_message_of_its_own() -> None:
    """OpenAI's tool messages hold a result and nothing else."""
    back(
        {"messages": [ASK, using(use("1", "add", {})), results(result("1", "a"), {"type": "text", "text": "Go on."})]},
        [ASK, calling(call("1", "add", "{}")), answer("1", "a"), {"role": "user", "content": "Go on."}],
    )


def test_what_stands_before_results_stays_before_them() -> None:
    """Splitting a message keeps its order."""
    back(
        {"messages": [ASK, using(use("1", "add", {})), results({"type": "text", "text": "Wait."}, result("1", "a"))]},
        [ASK, calling(call("1", "add", "{}")), {"role": "user", "content": "Wait."}, answer("1", "a")],
    )


def test_the_name_of_a_tool_is_said_by_the_call() -> None:
    """A result's name is read from its call, isn't written and is no loss; a document's own one is."""
    messages = [ASK, calling(call("1", "add", "{}")), {**answer("1", "a"), "name": "add"}]
    into = {"messages": [ASK, using(use("1", "add", {})), results(result("1", "a"))]}
    made = forth(messages, into)
    block = made.history[2].tool_results[0]
    assert block.name == "add"


def test_an_image_a_document_and_the_error_flag_of_a_result_are_dropped() -> None:
    """OpenAI's results are text: the text stays, and the failure of the tool is lost as content."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    document = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}}
    told = result("1", [{"type": "text", "text": "Seen."}, image, document], is_error=True)
    back(
        {"messages": [ASK, using(use("1", "look", {})), results(told)]},
        [ASK, calling(call("1", "look", "{}")), answer("1", "Seen.")],
        "messages/2/content/0/status dropped (annotation)",
        "messages/2/content/0/content/1 dropped (content)",
        "messages/2/content/0/content/2 dropped (content)",
    )


def test_a_result_that_is_only_an_image_stays_a_result_without_words() -> None:
    """A call without its result would be refused, so the result stays."""
    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    back(
        {"messages": [ASK, using(use("1", "look", {})), results(result("1", [image]))]},
        [ASK, calling(call("1", "look", "{}")), answer("1", "")],
        "messages/2/content/0/content/0 dropped (content)",
    )


def test_that_a_tool_succeeded_is_an_annotation() -> None:
    """OpenAI doesn't have ``is_error: false``, and it means nothing to a model."""
    back(
        {"messages": [ASK, using(use("1", "add", {})), results(result("1", "a", is_error=False))]},
        [ASK, calling(call("1", "add", "{}")), answer("1", "a")],
        "messages/2/content/0/status dropped (annotation)",
    )


def test_a_result_without_content_is_empty() -> None:
    """OpenAI's schema requires content, Anthropic's doesn't: an empty text means the same."""
    back(
        {"messages": [ASK, using(use("1", "add", {})), results({"type": "tool_result", "tool_use_id": "1"})]},
        [ASK, calling(call("1", "add", "{}")), answer("1", "")],
    )


@pytest.mark.parametrize("target", ["anthropic", "openai"])
def test_a_result_that_is_only_structured_is_its_json_text(target: am.CodecName) -> None:
    """Both have only text and parts in results: structured content is written as text."""
    block = am.ToolResultBlock(tool_call_id="1", structured={"sum": 3})
    losses: list[am.Loss] = []
    document: Any = am.encode([am.Msg("tool", [block], id=None, created_at=None)], target, losses=losses)
    assert account_of(losses) == ["messages/0/content/0 changed (annotation)"]
    native = document["messages"][0]
    assert (native["content"] if target == "openai" else native["content"][0]["content"]) == '{"sum":3}'


# -- links ------------------------------------------------------------------------------------------------------------


def test_reused_ids_duplicates_and_orphans_are_kept() -> None:
    """A conversion doesn't repair a conversation: each result stays, with its own id."""
    both(
        [
            *(ASK, calling(call("1", "add", "{}")), answer("1", "a")),
            *(calling(call("1", "sub", "{}")), answer("1", "b"), answer("1", "again"), answer("9", "whose?")),
        ],
        {
            "messages": [
                *(ASK, using(use("1", "add", {})), results(result("1", "a"))),
                using(use("1", "sub", {})),
                results(result("1", "b"), result("1", "again"), result("9", "whose?")),
            ]
        },
    )


def test_ids_that_are_missing_are_made() -> None:
    """Anthropic's schema requires them; a result without id belongs to the call that still waits for one."""
    nameless = {"type": "function", "function": {"name": "add", "arguments": "{}"}}
    result_ = am.convert(
        {"messages": [ASK, calling(nameless), {"role": "tool", "content": "a"}]}, "openai", "anthropic"
    )
    assert result_.document == {
        "messages": [ASK, using(use("call_1_0_add", "add", {})), results(result("call_1_0_add", "a"))]
    }
    assert account_of(result_.losses) == [
        "messages/1/content/0/id invented (annotation)",
        "messages/2/content/0/tool_call_id invented (annotation)",
    ]
    assert am.same(am.restore(am.decode(result_.document, "anthropic"), result_.losses), result_.history)


def test_ids_that_are_made_differ_from_those_that_are_there() -> None:
    """A made id never takes over another call's result."""
    nameless = {"type": "function", "function": {"name": "add", "arguments": "{}"}}
    messages = [ASK, calling(nameless), answer("call_1_0_add", "whose?")]
    document = am.convert({"messages": messages}, "openai", "anthropic").document
    assert document["messages"][1]["content"][0]["id"] == "call_1_0_add_"


def test_a_function_call_of_old_is_a_call_with_a_made_id() -> None:
    """It is written back unchanged, so the id that only the reader made is no loss."""
    messages = [
        ASK,
        {"role": "assistant", "content": None, "function_call": {"name": "add", "arguments": '{"x": 1}'}},
        {"role": "function", "name": "add", "content": "2"},
    ]
    into = [ASK, using(use("call_1_0_add", "add", {"x": 1})), results(result("call_1_0_add", "2"))]
    forth(messages, {"messages": into})


# -- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ['{"city": "Par', "not json", '{"n":1e400}', "{'a': 1}"])
def test_invalid_arguments_travel_in_an_envelope(text: str) -> None:
    """If arguments must be an object, the envelope holds the text byte for byte, and reads back to it."""
    both([ASK, calling(call("1", "add", text))], {"messages": [ASK, using(use("1", "add", {"_raw": text}))]})


@pytest.mark.parametrize(("text", "value"), [("[1,2]", [1, 2]), ("null", None), ("17", 17), ("true", True)])
def test_arguments_that_are_no_object_travel_in_the_same_envelope(text: str, value: Any) -> None:
    """The value is in the envelope unchanged, and is the arguments again in OpenAI."""
    both([ASK, calling(call("1", "add", text))], {"messages": [ASK, using(use("1", "add", {"_raw": value}))]})


def test_arguments_that_are_a_json_text_are_told_from_invalid_ones() -> None:
    """A valid string is in the envelope with its quotes, an invalid text unchanged."""
    forth([ASK, calling(call("1", "add", '"x"'))], {"messages": [ASK, using(use("1", "add", {"_raw": '"x"'}))]})
    forth([ASK, calling(call("1", "add", "x"))], {"messages": [ASK, using(use("1", "add", {"_raw": "x"}))]})


def test_a_real_envelope_of_a_user_is_escaped() -> None:
    """A lookalike of an envelope is put into one more."""
    messages = [ASK, calling(call("1", "add", '{"_raw":"{"}'))]
    both(messages, {"messages": [ASK, using(use("1", "add", {"_raw": {"_raw": "{"}}))]})


def test_empty_arguments_are_an_empty_object() -> None:
    """Servers write no text for a call without arguments; the loss report restores the empty text."""
    forth([ASK, calling(call("1", "add", ""))], {"messages": [ASK, using(use("1", "add", {}))]})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (' {"b" : 1,\n "a":2}', {"b": 1, "a": 2}),
        ('{"n":1.10}', {"n": 1.1}),
        ('{"n":1E2}', {"n": 100.0}),
        ('{"s":"\\u00e9"}', {"s": "é"}),
        ('{"n":123456789012345678901234567890}', {"n": 123456789012345678901234567890}),
        ('{"n":9007199254740993}', {"n": 9007199254740993}),
    ],
)
def test_the_spelling_of_arguments_comes_back_to_the_byte(text: str, value: Any) -> None:
    """Spaces, key order, 1.10 and escapes are spelling, and no loss; no integer is rounded."""
    forth([ASK, calling(call("1", "add", text))], {"messages": [ASK, using(use("1", "add", value))]})


def test_the_order_of_keys_is_kept() -> None:
    """Equal objects have equal text: prompt caches depend on it."""
    document = am.convert({"messages": [using(use("1", "add", {"b": 1, "a": 2}))]}, "anthropic", "openai").document
    assert document["messages"][0]["tool_calls"][0]["function"]["arguments"] == '{"b":1,"a":2}'


def test_integers_beyond_64_bits_are_written_in_full() -> None:
    """Readers of doubles would round them; ours doesn't."""
    both(
        [ASK, calling(call("1", "add", '{"n":-98765432109876543210}'))],
        {"messages": [ASK, using(use("1", "add", {"n": -98765432109876543210}))]},
    )


def test_a_key_twice_is_a_loss_of_content() -> None:
    """An object holds each key once: the last value counts, and the loss report has the text with both."""
    lost = "messages/1/content/0/raw_input dropped (content)"
    text = '{"a":1,"a":2}'
    made = forth([ASK, calling(call("1", "add", text))], {"messages": [ASK, using(use("1", "add", {"a": 2}))]}, lost)
    assert made.losses[0].was == text


# -- custom tools -----------------------------------------------------------------------------------------------------


def test_a_call_of_a_custom_tool_is_a_function_call() -> None:
    """Free text is under ``input``, in the call and in the schema of the tool."""
    document = {
        "messages": [
            ASK,
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "type": "custom", "custom": {"name": "run", "input": "print(1)"}}],
            },
            answer("1", "1"),
        ],
        "tools": [{"type": "custom", "custom": {"name": "run", "description": "Runs code."}}],
    }
    schema = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
    into = {
        "messages": [ASK, using(use("1", "run", {"input": "print(1)"})), results(result("1", "1"))],
        "tools": [{"name": "run", "description": "Runs code.", "input_schema": schema}],
    }
    converts(
        *(document, "openai", "anthropic", into),
        "messages/1/content/0/input changed (content)",
        "messages/1/content/0/kind changed (content)",
        "tools/0/parameters invented (content)",
        "tools/0/kind changed (content)",
    )


# -- tools ------------------------------------------------------------------------------------------------------------


def test_tools_are_the_same_in_both() -> None:
    """Both formats have name, description, schema and strictness."""
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    ours = {"name": "add", "description": "Adds.", "input_schema": schema, "strict": True}
    theirs = {"name": "add", "description": "Adds.", "parameters": schema, "strict": True}
    openai = {"messages": [ASK], "tools": [{"type": "function", "function": theirs}]}
    anthropic = {"messages": [ASK], "tools": [ours]}
    converts(openai, "openai", "anthropic", anthropic)
    converts(anthropic, "anthropic", "openai", openai)


def test_a_tool_without_schema_takes_any_object() -> None:
    """Anthropic's schema requires one."""
    document = {"messages": [ASK], "tools": [{"type": "function", "function": {"name": "now"}}]}
    into = {"messages": [ASK], "tools": [{"name": "now", "input_schema": {"type": "object"}}]}
    converts(document, "openai", "anthropic", into, "tools/0/parameters invented (annotation)")


def test_a_tool_that_the_provider_runs_is_dropped() -> None:
    """No other provider can run it, so a model would see a tool that doesn't exist."""
    document = {"messages": [ASK], "tools": [{"type": "web_search_20250305", "name": "web_search"}]}
    converts(document, "anthropic", "openai", {"messages": [ASK]}, "tools/0 dropped (content)")


def test_parameters_of_a_request_are_kept_for_their_own_format() -> None:
    """Shared settings convert; the name of a model, and settings of one format alone, don't."""
    document = {"model": "gpt-5", "max_tokens": 9, "n": 2, "messages": [ASK]}
    told = "settings/model dropped (setting)"
    body = {"max_tokens": 9, "messages": [ASK]}
    made = converts(document, "openai", "anthropic", body, told, "extras/openai/n dropped (setting)")
    assert [loss.was for loss in made.losses] == ["gpt-5", 2]
