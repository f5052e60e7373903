"""redact: no text of a history holds a found secret any more, nothing else changes, and the report brings all back."""

from __future__ import annotations

import json
import pickle
import re
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.errors import InvalidMessage
from agentmsg.redaction.leaves import rewritten
from agentmsg.redaction.patterns import KINDS, ROWS
from agentmsg.testing import histories

_HEX = "0123456789abcdef" * 4
_MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7" * 4
SECRETS = {
    "OpenAI": ("key", f"sk-proj-{_MIXED[:40]}"),
    "Anthropic": ("key", f"sk-ant-api03-{_MIXED[:60]}"),
    "AWS": ("key", "AKIAIOSFODNN7EXAMPLE"),
    "Google": ("key", f"AIza{_MIXED[:35]}"),
    "Hugging Face": ("key", f"hf_{_MIXED[:34]}"),
    "Stripe": ("key", f"sk_live_{_MIXED[:24]}"),
    "GitHub": ("token", f"ghp_{_MIXED[:36]}"),
    "Slack": ("token", "xoxb-123456789012-abcdefABCDEF"),
    "JWT": ("token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1g"),
    "PEM": ("private_key", f"-----BEGIN RSA PRIVATE KEY-----\n{_MIXED}\n-----END RSA PRIVATE KEY-----"),
    "mail": ("email", "ada.lovelace+x@mail.example.co.uk"),
}
# What stands around it, and stays.
AROUND = {
    "url": ("password", "postgres://ada:{}@db.example/x", "s3cret,pass"),
    "bearer": ("token", "Authorization: Bearer {}", "abcdef.123456789"),
    "header value": ("token", "Bearer {}", "opaquetokenvalue"),
    "signed": ("token", "https://x.example/f?sig={}&a=1", "aB3dE6gH9jK2mN5p"),
    "azure": ("key", "AccountName=x;AccountKey={};", _MIXED[:86] + "=="),
    "linux": ("home", "open /home/{}/.ssh/config", "ada"),
    "mac": ("home", 'File "/Users/{}/x.py"', "ada.b"),
    "file url": ("home", "file:///home/{}/x", "ada"),
    "path list": ("home", "PATH=/usr/bin:/home/{}/bin", "ada"),
    "windows": ("home", "C:\\Users\\{}\\x", "Ada Byron"),
    "windows in JSON text": ("home", '{{"p": "C:\\\\Users\\\\{}\\\\x"}}', "ada"),
}
HARMLESS = (
    "git@github.com:org/repo.git",
    "npm i react@18.2.0 and @scope/pkg",
    "https://example.com/home/about and /api/Users/12",
    "/home/ and /Users/Shared/x and C:\\Users\\Public",
    "risk-based-scikit-learn-task",
    "bearer responsibilities are described",
    "http://localhost:8080/a@b",
    "data:image/png;base64,AKIAIOSFODNN7EXAMPLE",
    "A" * 150 + "/home/ada/" + "B" * 150,
)


@pytest.mark.parametrize(("kind", "secret"), SECRETS.values(), ids=SECRETS)
def test_a_secret_becomes_a_placeholder_of_its_kind(kind: str, secret: str) -> None:
    """Each shape is found in prose, and everything around it stays."""
    done = am.redact([f"see ({secret}), then go"])
    assert done.history[0].text == f"see (REDACTED_{kind.upper()}_1), then go"
    assert am.redact([secret], kinds=KINDS - {kind}).history[0].text == secret


@pytest.mark.parametrize(("kind", "text", "secret"), AROUND.values(), ids=AROUND)
def test_only_the_secret_part_goes(kind: str, text: str, secret: str) -> None:
    """What a pattern needs around a secret stays, so that a URL is still a URL."""
    assert am.redact([text.format(secret)]).history[0].text == text.format(f"REDACTED_{kind.upper()}_1")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_alike_stays(text: str) -> None:
    """Words, routes, packages and payloads in base64 are no secrets; an unchanged history is the very object."""
    history = am.History.of(text)
    done = am.redact(history)
    assert done.history is history
    assert not done.losses


@given(histories(), st.data())
def test_no_leaf_holds_a_found_secret(history: am.History, data: st.DataObject) -> None:
    """Wherever the model holds a text, a secret in it is gone, the report restores it, and again nothing is found."""
    leaves: dict[str, None] = {}

    def see(text: str) -> str:
        leaves[text] = None
        return text

    rewritten(history, see)
    secret = data.draw(st.sampled_from(("ada@mail.example", "sk-proj-abcdef0123456789abcd")))
    chosen = data.draw(st.sets(st.sampled_from(sorted(leaves)))) if leaves else set[str]()
    planted = rewritten(history, lambda text: f"{text} {secret} ." if text in chosen else text)
    done = am.redact(planted)
    assert secret not in done.history.to_json()
    assert am.same(am.restore(done.history, done.losses), planted)
    assert am.same(am.restore(done.history, am.load_losses(am.dump_losses(done.losses, done.history))), planted)
    assert am.redact(done.history).history is done.history


@given(histories(), st.sampled_from(("openai", "anthropic", "langchain", "json", "msgpack", "agentscope")))
def test_reports_stack(history: am.History, codec: Any) -> None:
    """A redacted history that was written to a format and read back is restored by both reports, the last first."""
    planted = rewritten(history, lambda text: f"{text} ada@mail.example")
    done = am.redact(planted)
    losses: list[am.Loss] = []
    document = am.encode(done.history, codec, losses=losses)
    between = am.restore(am.decode(document, codec), losses)
    assert am.same(between, done.history)
    assert am.same(am.restore(between, done.losses), planted)


def test_text_and_input_of_a_call_stay_one() -> None:
    """Arguments are changed in their strings only: the text stays JSON, says the input, and keeps its spelling."""
    text = '{ "to":"ad\\u0061@mail.example", "n":1.0, "p":"\\nada@mail.example"}'
    call = am.ToolUseBlock("call ada@mail.example", "send", raw_input=text)
    broken = am.ToolUseBlock("c2", "send", raw_input='{"to": "ada@mail.example')
    history = am.History.of(
        am.Msg("assistant", [call, broken]), am.Msg.tool("ok", tool_call_id="call ada@mail.example")
    )
    done = am.redact(history)
    first, second = done.history[0].tool_calls[0], done.history[0].invalid_tool_calls[0]
    assert first.raw_input == '{ "to":"REDACTED_EMAIL_1", "n":1.0, "p":"\\nREDACTED_EMAIL_1"}'
    assert first.input == json.loads(first.raw_input)
    assert second.raw_input == '{"to": "REDACTED_EMAIL_1'
    assert first.id == done.history[1].tool_call_id == "call REDACTED_EMAIL_1"
    restored = am.restore(done.history, done.losses)
    assert am.same(restored, history)
    assert restored[0].tool_calls[0].raw_input == text


def test_a_found_secret_goes_wherever_it_stands() -> None:
    """What a URL gave away as a password is a secret in prose, too; one secret has one placeholder."""
    done = am.redact(["postgres://u:hunter2hunter@h/db", "xhunter2hunterx", "Bearer hunter2hunter"])
    word = "REDACTED_PASSWORD_1"
    assert [message.text for message in done.history] == [f"postgres://u:{word}@h/db", f"x{word}x", f"Bearer {word}"]


def test_numbers_in_use_are_not_used_again() -> None:
    """A placeholder that stands there already never becomes that of another secret."""
    done = am.redact(["REDACTED_EMAIL_4 and ada@mail.example"])
    assert done.history[0].text == "REDACTED_EMAIL_4 and REDACTED_EMAIL_5"


def test_callers_choose() -> None:
    """Kinds, patterns with a secret part, flags of compiled patterns, and words as they are."""
    text = "Order ab-17 of Ada, ada@mail.example"
    patterns = {"order": re.compile(r"order (?P<s>AB-\d+)", re.IGNORECASE)}
    assert am.redact([text], kinds=(), patterns=patterns, words=["Ada"]).history[0].text == (
        "Order REDACTED_ORDER_1 of REDACTED_WORD_1, ada@mail.example"
    )
    assert am.redact([text], kinds="home").history[0].text == text


def test_words_leave_the_structure() -> None:
    """A word that is a role of a message or the kind of a call does not break these."""
    done = am.redact(["user says user"], words="user")
    assert (done.history[0].role, done.history[0].text) == ("user", "REDACTED_WORD_1 says REDACTED_WORD_1")


@pytest.mark.parametrize(
    "arguments",
    [
        {"kinds": "mail"}, {"kinds": [1]}, {"patterns": {"a b": "x"}}, {"patterns": {"a": "("}}, {"patterns": {"a": 1}},
        {"patterns": ["x"]}, {"words": [""]}, {"words": [1]},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_choice_is_refused(arguments: Any) -> None:
    """Each wrong argument is one typed error."""
    with pytest.raises(InvalidMessage):
        am.redact(["x"], **arguments)


def test_the_report_keeps_its_secrets_to_itself() -> None:
    """No repr, summary or table shows a secret, also after a pickle and a file, which says that it holds some."""
    history = am.History.of("ada@mail.example")
    done = am.redact(history)
    file = am.dump_losses(done.losses, done.history)
    assert json.loads(file.splitlines()[0])["secrets"] is True
    for losses in (done.losses, am.load_losses(file), pickle.loads(pickle.dumps(done.losses)), done.losses[:1]):
        shown = [repr(losses), losses.summary(), losses._repr_html_() or "", *map(repr, losses), *map(str, losses)]
        assert not any("ada@" in text for text in shown)
        assert losses[0].was == "ada@mail.example"
        assert am.same(am.restore(done.history, losses), history)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_time_grows_with_the_text(row: Any) -> None:
    """No pattern takes longer than in proportion on texts that are made to be hard for it."""
    size = 40_000
    hints = row.hints or ("=",)
    texts = [piece * (size // len(piece)) for hint in hints for piece in (hint, f"{hint}a", f"{hint}a.", f" {hint} a@")]
    texts += [hints[0] + piece * size for piece in ("a", "a.", "-", " ", "\\", "/a", "A ")]
    texts += ["-----BEGIN PRIVATE KEY-----a" * 1000, "a@" + "a." * size, "://" + "a:" * size, "bearer " * 5000]
    start = perf_counter()
    for text in texts:
        am.redact([text[: 2 * size]], kinds=row.kind)
    assert perf_counter() - start < 1.5 * len(texts)
