"""redact: no text of a history still holds a found secret, nothing else is damaged, and restore returns everything."""

from __future__ import annotations

import json
import pickle
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

import agentmsg as am
from agentmsg.redacting.patterns import RULES
from agentmsg.redacting.redactor import Redactor
from agentmsg.redacting.rule import KINDS
from agentmsg.testing.check import single_values
from agentmsg.testing.strategies import histories
from agentmsg.values.types import is_mapping, is_sequence
from data import corpus, effort, recorded, share, some
from support.secrets import CONTEXTS, TOKENS, filled
from support.timing import check_growth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1234\nabcd==\n-----END RSA PRIVATE KEY-----"
# By a name: the kind, a realistic text, and the part that must be gone.
SECRETS: dict[str, tuple[str, str, str]] = {
    "openai": ("key", "sk-proj-abcDEF1234567890abcdefgh", "abcDEF1234567890"),
    "anthropic": ("key", "sk-ant-api03-AbCd_1234-EfGh5678ijkl", "AbCd_1234"),
    "aws": ("key", "AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"),
    "aws secret": ("key", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
    "github": ("key", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "0123456789abcdef"),
    "google": ("key", "AIzaSyA0123456789abcdefghijABCDEFGHIJ01", "SyA0123456789"),
    "hugging face": ("key", "hf_abcdefghijABCDEFGHIJ0123456789abcd", "abcdefghijABCDEFGHIJ"),
    "slack": ("key", "xoxb-123456789012-abcdefghijkl", "123456789012"),
    "jwt": ("token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9", "eyJzdWIi"),
    "bearer": ("token", "Authorization: Bearer abcdef1234567890abcdef", "abcdef1234567890"),
    "bearer with words": ("token", "Authorization: Bearer opaquetokenvalue", "opaquetokenvalue"),
    "basic": ("token", "Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNz"),
    "query": ("token", "https://example.org/x?a=1&access_token=abcdef123456", "abcdef123456"),
    "private key": ("private-key", PEM, "MIIEpAIBAAKCAQEA1234"),
    "url": ("password", "postgres://bob:s3same77@db.example.org/x", "s3same77"),
    "email": ("email", "alice.b+c@mail.example.com", "alice.b"),
    "linux": ("home", "/home/alice", "alice"),
    "mac": ("home", "/Users/alice/Library", "alice"),
    "windows": ("home", "C:\\Users\\alice\\Desktop", "alice"),
    "windows in JSON": ("home", "C:\\\\Users\\\\alice\\\\Desktop", "alice"),
    "windows name": ("home", "C:\\Users\\Alice Doe\\Desktop", "Doe"),
    "mount": ("home", "/mnt/c/Users/alice/x.py", "alice"),
    "file URL": ("home", "file:///home/alice/x.py", "alice"),
}  # fmt: skip
CLEAN = [
    "an e-mail@ sign, a@b, pkg@1.2.3, @scope/name, git@github.com:o/r.git, root@localhost",
    "https://example.com/home/page and https://example.com/Users/list, /users/1, ~/x, /home",
    "risk-management-of-something-long, task-list-of-many-things-1, sk-learn, bearer of bad news, basic information",
    "max_tokens=100000, password = get_password(), token: str, api_key=os.environ['KEY'], https://host:8080/a@b",
    "the private key, -----BEGIN CERTIFICATE-----, eyJ, 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "/Users/Shared/x, C:\\Users\\Public\\x, http://$USER:$PASS@host, http://user:${PASS}@host",
    "/home/runner/work/x, /home/vscode/.config, C:\\Users\\runneradmin\\x, /home/user/project",
    "sk-learn-pipeline-for-2024-data, xai-grok-code-fast-1-2025-08-25, pa-long-slug-2-for-a-page-of-docs-that-goes",
    "d3b07384d113edec49eaa6238ad5ff00 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 a4b1d0c",
    '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
    'etag: "33a64df551425fcc55e4d42a148795d9f25f89d4", max_tokens: 100000, eos_token="<|end_of_text|>"',
    "next_token = 12345678, nextPageToken: CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA, token: 'Hello', key: value1234",
    "the password is base64-encoded, a password is 8 characters, the secret is safe, secret santa, api key rotation",
    'password == "x1234567", password: {"type": "string"}, "password": "string", api_key=settings.KEY_12',
    "--max-tokens 4096, --token $TOKEN, PWD=/root/a1, TEST_PASS=1, PASS: test_one_2, BYPASS=enabled1",
    "curl -sS -o out.txt https://example.org/a, docker run -p 8080:80 nginx, mysql -p shop, mysql -u root -p",
    "psql -p 5432, echo hello | sort, echo 12345678 | sudo tee x, openssl passwd, unzip -P, PRIMARY_KEY=customer_nr_1",
    "cookie = get_cookie(1), document.cookie, cookies: yes, Set-Cookie: theme=dark; Path=/, curl -b cookies.txt x",
    "machine learning, login with password reset, a.b.c, Mxxxxxxxxxxxxxxxxxxxxxxx.test_1.example",
]


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], bool]]:
    """Yield the paths of all texts in a document, and of all keys."""
    if is_mapping(value):
        for key, item in value.items():
            yield (*path, key), True
            yield from _paths(item, (*path, key))
    elif is_sequence(value):
        for index, item in enumerate(value):
            yield from _paths(item, (*path, index))
    elif isinstance(value, str):
        yield path, False


def _with(value: Any, path: tuple[Any, ...], secret: str, *, is_key: bool) -> Any:
    """Return a document with a secret instead of one text or key."""
    if not path:
        return secret
    first, rest = path[0], path[1:]
    if is_sequence(value):
        return [_with(item, rest, secret, is_key=is_key) if i == first else item for i, item in enumerate(value)]
    if is_key and not rest:
        return {secret if key == first else key: item for key, item in value.items()}
    return {k: _with(item, rest, secret, is_key=is_key) if k == first else item for k, item in value.items()}


def _planted(history: am.History, secret: str) -> Iterator[am.History]:
    """Yield histories with a secret in one place each: every text and key that the canonical form has."""
    document = history.to_dict()
    for path, is_key in _paths(document):
        try:
            yield am.History.from_dict(_with(document, path, secret, is_key=is_key))
        except am.AgentMsgError:
            continue  # a tag, or a key of the model


def _check(history: am.History, *gone: str) -> am.Redaction:
    """Check that the secrets are gone, aren't shown, and come back."""
    done = am.redact(history)
    shown = (done.history.to_json(), repr(done), str(list(done.losses)), repr(list(done.losses)), done._repr_html_())
    assert not [(secret, text) for secret in gone for text in shown if secret in str(text)]
    raw = am.dump_losses(done.losses, done.history)
    for losses in (done.losses, am.load_losses(raw)):
        restored = am.restore(done.history, losses)
        assert am.same(restored, history)
        assert restored.to_json() == history.to_json()
    assert am.redact(done.history).history is done.history
    return done


@pytest.mark.parametrize("name", SECRETS)
def test_no_leaf_still_holds_a_secret(name: str) -> None:
    """A secret in any text or key of the canonical form is replaced, and comes back."""
    _, secret, gone = SECRETS[name]
    singles = share(list(single_values()), list(SECRETS).index(name))
    count = 0
    for single in some(singles, effort(60)):
        for history in _planted(single, secret):
            count += gone in history.to_json()
            _check(history, gone)
    assert count > effort(60)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", SECRETS)
def test_each_shape_is_found_in_prose_and_in_json(name: str) -> None:
    """A secret is found between words, after punctuation and line ends, and in JSON within JSON."""
    kind, secret, gone = SECRETS[name]
    label = kind.upper().replace("-", "_")
    for text in (
        secret,
        f"see {secret}, and",
        f"({secret})",
        f'"{secret}"',
        f"a\n{secret}\nb",
        json.dumps({"a": f"x\n{secret}"}),
        json.dumps(json.dumps([f"\t{secret}"])),
    ):
        done = _check(am.History.of(text), gone)
        assert f"REDACTED_{label}_1" in done.history[0].text, text
        assert kind in done.losses[0].why
        if _is_json(text):
            assert _is_json(done.history[0].text)


def _forms(text: str) -> tuple[str, ...]:
    """Return a text in prose, in JSON, and in JSON inside of JSON."""
    return (
        text,
        f"Use this: {text} and go on.",
        json.dumps({"a": f"x\n{text}"}),
        json.dumps(json.dumps([f"\t{text}\n"])),
    )


@pytest.mark.parametrize("service", TOKENS)
def test_tokens_of_services_are_found(service: str) -> None:
    """A token with a form of its own is found in prose and JSON, and restored."""
    token = filled(TOKENS[service])
    body = max(re.findall(r"[A-Za-z0-9_]+", token), key=len)
    for text in _forms(token):
        done = _check(am.History.of(text))
        assert body not in done.history[0].text, done.history[0].text


@pytest.mark.parametrize("context", CONTEXTS)
def test_secrets_are_found_by_the_words_around_them(context: str) -> None:
    """What a command, a header, a setting or a prompt calls secret goes; the words around it stay."""
    text = filled(CONTEXTS[context])
    secrets, plain = re.findall("«(.*?)»", text), re.sub("[«»]", "", text)
    words = re.split("«.*?»", text)
    for form in _forms(plain):
        out = _check(am.History.of(form)).history[0].text
        assert not [secret for secret in secrets if secret in out], out
    assert am.redact([plain]).history[0].text.startswith(words[0][:6])


def test_a_cookie_is_redacted_value_by_value() -> None:
    """Names and attributes of cookies stay; the same value has the same placeholder, also as an argument."""
    value = filled("<w32>")
    done = _check(
        am.History.of(f"Set-Cookie: sid={value}; Path=/; Max-Age=1209600; theme=dark", f"It was {value}."), value
    )
    assert [message.text for message in done.history] == [
        "Set-Cookie: sid=REDACTED_TOKEN_1; Path=/; Max-Age=1209600; theme=dark",
        "It was REDACTED_TOKEN_1.",
    ]
    call = am.ToolUseBlock("1", "get", {"headers": {"Cookie": f"a=b; sid={value}"}, "cookie": "chocolate"})
    assert _check(am.History([am.Msg("assistant", [call])]), value).history[0].tool_calls[0].input == {
        "headers": {"Cookie": "REDACTED_TOKEN_1"},
        "cookie": "chocolate",
    }


# By kind: what is found on request, and what only looks like it.
ASKED: dict[str, tuple[list[str], list[str]]] = {
    "card": (["4111 1111 1111 1111", "5500-0000-0000-0004", "340000000000009"], ["4111 1111 1111 1112", "1700000000"]),
    "iban": (["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"], ["DE89370400440532013001", "AB12CDEF"]),
    "ip": (["192.168.1.20", "2001:db8::8a2e:370:7334"], ["1.2.3", "999.1.1.1", "127.0.0.1", "::1", "12:30", "a::b::c"]),
    "phone": (["+49 30 901820", "+1 (212) 555-0123", "(212) 555-0123", "212-555-0123"], ["2024-10-31", "555-0123"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", ASKED)
def test_some_kinds_are_found_on_request(kind: Any) -> None:
    """Phone and card numbers, IBANs and addresses are found only if asked for, alone or beside the default kinds."""
    yes, no = ASKED[kind]
    for text in yes:
        history = am.History.of(f"It is {text}, a@example.com.")
        label = f"REDACTED_{kind.upper()}_1"
        assert am.redact(history).history[0].text == f"It is {text}, REDACTED_EMAIL_1."
        assert am.redact(history, kinds=[kind]).history[0].text == f"It is {label}, a@example.com."
        assert am.redact(history, kinds=["default", kind]).history[0].text == f"It is {label}, REDACTED_EMAIL_1."
    for text in no:
        history = am.History.of(f"It is {text}.")
        assert am.redact(history, kinds=[kind]).history is history, text


# All that recorded conversations say of keys, tokens and passwords: the passwords that one dataset makes up.
RECORDED = {"a9B7$#fG3&Z1", "aB3#fG7!kL9@", "password123", "A1b2C3d4E5f6", "aBcD1234EfGh"}


@pytest.mark.parametrize(
    "system", ["anthropic", "gemini", "hf_messages", "langchain", "openai_chat", "openai_responses", "sharegpt"]
)
def test_recorded_conversations_are_left_as_they_are(system: str) -> None:
    """Ids, signatures, payloads, code and prose of recorded conversations aren't secrets."""
    redactor = Redactor(kinds=["key", "token", "private-key", "password"])
    for path in recorded(corpus(system)):
        done = redactor([am.Msg("user", [am.DataBlock(json.loads(line)) for line in _documents(path)])])
        text = json.dumps([loss.was for loss in done.losses])
        assert not done.losses or any(known in text for known in RECORDED), (path, [loss.now for loss in done.losses])


def _documents(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return text.splitlines() if path.suffix == ".jsonl" else [text]


def test_what_only_looks_like_a_secret_stays() -> None:
    """Versions, web pages, code and words that begin like keys aren't secrets: the history is the very same."""
    for text in CLEAN:
        history = am.History.of(text)
        done = am.redact(history)
        assert done.history is history, done.history[0].text
        assert len(done.losses) == 0


def test_payloads_and_signatures_are_left_as_they_are() -> None:
    """No pattern matches inside base64, in any place; anything else is a text like any other."""
    data = "AAAA/AKIAIOSFODNN7EXAMPLE/home/alice+" + "QUJD" * 400
    block = am.ThinkingBlock("x", redacted=data, signature=am.Signature("anthropic", data))
    image = am.ImageBlock(am.Base64Source(data, "image/png"))
    link = am.ImageBlock(am.URLSource(f"data:image/png;base64,{data}"))
    native = am.NativeBlock("x", {"image": data, "url": f"data:image/png;base64,{data}"})
    history = am.History([am.Msg("assistant", [block, image, link, native, am.CompactionBlock("c", encrypted=data)])])
    assert am.redact(history).history is history
    _check(am.History([am.Msg("user", [am.ImageBlock(am.Base64Source("see alice@example.com"))])]), "alice@")


def _talk() -> am.History:
    key = SECRETS["openai"][1]
    call = {
        "name": "read",
        "id": key,
        "arguments": '{"path":  "C:\\\\Users\\\\alice\\\\x", "to": "\\u0061lice@example.com"}',
    }
    return am.History.of(
        am.Msg.system(f"Mail bob@example.com, then Alice@example.com. {key}", id="1", created_at=None),
        am.Msg.user("Take postgres://bob:s3same77@db.example.org/x", id="2", created_at=None),
        am.Msg.assistant("s3same77 it is.", tool_calls=[call], id="3", created_at=None),
        am.Msg.tool("ok, alice@example.com", tool_call_id=key, name="read", id="4", created_at=None),
    )


def test_the_same_secret_has_the_same_placeholder() -> None:
    """Placeholders are numbered by first occurrence; links hold; a secret found in a URL is found elsewhere too."""
    talk = _talk()
    done = _check(talk, "alice", "s3same77", "abcDEF", "bob@")
    system, user, assistant, tool = done.history
    assert system.text == "Mail REDACTED_EMAIL_1, then REDACTED_EMAIL_2. REDACTED_KEY_1"
    assert user.text == "Take postgres://bob:REDACTED_PASSWORD_1@db.example.org/x"
    assert assistant.text == "REDACTED_PASSWORD_1 it is."
    assert assistant.tool_calls[0].input == {"path": "C:\\Users\\REDACTED_HOME_1\\x", "to": "REDACTED_EMAIL_2"}
    assert assistant.tool_calls[0].id == tool.tool_call_id == "REDACTED_KEY_1"
    assert tool.text == "ok, REDACTED_EMAIL_2"
    assert len(done.history.pair_tools()) == 1


def test_the_text_of_arguments_keeps_its_spelling() -> None:
    """If a secret is literally in the text of arguments, only the secret is replaced in that text."""
    call = am.ToolUseBlock("1", "f", raw_input='{"b":  "/home/ada/x", "n": 1.10, "a":"C:\\\\Users\\\\ada"}')
    broken = am.ToolUseBlock("2", "f", raw_input='{"b":  "/home/ada/x')
    free = am.ToolUseBlock("3", "f", raw_input="cat /home/ada/x", kind="custom")
    done = _check(am.History([am.Msg("assistant", [call, broken, free], id="m")]), "ada")  # a made id may hold it
    texts = [block.raw_input for block in done.history[0].blocks(am.ToolUseBlock)]
    home = "REDACTED_HOME_1"
    assert texts == [
        f'{{"b":  "/home/{home}/x", "n": 1.10, "a":"C:\\\\Users\\\\{home}"}}',
        f'{{"b":  "/home/{home}/x',
        f"cat /home/{home}/x",
    ]


def test_values_are_secret_for_their_names() -> None:
    """A key can make its value a secret, in arguments as text and as data alike, but not in schemas."""
    values = {"username": "bob", "password": "hunter", "api_key": "0f3c9a7be2", "n": 1}
    text, data = am.ToolUseBlock("1", "f", raw_input=json.dumps(values)), am.ToolUseBlock("2", "f", values)
    done = _check(am.History([am.Msg("assistant", [text, data])]), "hunter", "0f3c9a7be2")
    first, second = done.history[0].tool_calls
    expected = {"username": "bob", "password": "REDACTED_PASSWORD_1", "api_key": "REDACTED_KEY_1", "n": 1}
    assert first.input == second.input == expected
    header = am.History.of(
        am.Msg.assistant(tool_calls=[{"name": "f", "input": {"Authorization": "Bearer opaquetoken"}}])
    )
    _check(header, "opaquetoken")
    for value in (f"Token {filled('<h40>')}", filled("<w40>")):
        call = am.ToolUseBlock("1", "f", {"headers": {"Authorization": value}})
        _check(am.History([am.Msg("assistant", [call])]), value[6:])
    schema = {"type": "object", "properties": {"password": {"type": "string"}}, "required": ["password"]}
    clean = am.History(
        ["hunter"], tools=[am.ToolSpec("login", "d", schema)], metadata={"token": "${TOKEN}", "password": "***"}
    )
    assert am.redact(clean).history is clean


@pytest.mark.parametrize("codec", ["openai", "anthropic", "langchain", "riffer"])
def test_a_redacted_history_is_converted_and_comes_back(codec: Any) -> None:
    """Conversions stack: the last loss report is restored first, then that of redaction."""
    talk = _talk()
    done = am.redact(talk)
    losses: list[am.Loss] = []
    document = am.encode(done.history, codec, losses=losses)
    back = am.restore(am.decode(document, codec), losses)
    assert am.same(back, done.history)
    read = am.load_losses(am.dump_losses(done.losses, done.history))
    assert am.same(am.restore(back, read), talk)
    more = [am.Msg.user("more")]
    assert am.same(am.restore(back + more, read), talk + more)


def test_placeholders_that_were_there_are_not_used_again() -> None:
    """A text may already hold placeholders, from an earlier redaction or by chance: theirs aren't reused."""
    history = am.History.of("REDACTED_EMAIL_1 and REDACTED_EMAIL_3: a@example.com, b@example.com")
    done = _check(history, "a@")
    assert done.history[0].text == "REDACTED_EMAIL_1 and REDACTED_EMAIL_3: REDACTED_EMAIL_2, REDACTED_EMAIL_4"


def test_keys_that_become_alike_stay_apart() -> None:
    """No entry of a JSON object is lost if two keys are the same secret."""
    data = {"a@example.com": 1, "A@example.com": 2, "REDACTED_EMAIL_1_": 3}
    done = _check(am.History([am.Msg("user", [am.DataBlock(data)])]), "@example")
    assert sorted(done.history[0].content[0].data.values()) == [1, 2, 3]  # type: ignore[union-attr]


def test_kinds_patterns_and_words_are_chosen() -> None:
    """Kinds limit the search; own patterns and words have placeholders of their own name."""
    text = "Ms. Möller of Acme (a@example.com) has T-1234, and card 4111."
    history = am.History.of(
        text, am.Msg.assistant(tool_calls=[{"name": "f", "arguments": '{"a": "M\\u00f6ller", "b": 4111}'}])
    )
    done = am.redact(
        history,
        kinds=["home"],
        patterns={"ticket": r"T-\d+", "card": re.compile(r"card (?P<secret>\d+)")},
        words=["Möller", "Acme"],
    )
    assert done.history[0].text == (
        "Ms. REDACTED_WORD_1 of REDACTED_WORD_2 (a@example.com) has REDACTED_TICKET_1, and card REDACTED_CARD_1."
    )
    assert done.history[1].tool_calls[0].input == {"a": "REDACTED_WORD_1", "b": 4111}
    assert am.same(am.restore(done.history, done.losses), history)
    assert am.redact(history, kinds=()).history is history
    assert (
        am.redact([{"role": "user", "content": "a@example.com"}], kinds=["email"]).history[0].text == "REDACTED_EMAIL_1"
    )


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"kinds": ["mail"]}, "option"),
        ({"kinds": [["email"]]}, "option"),
        ({"kinds": 3}, "type"),
        ({"patterns": {"x": "("}}, "option"),
        ({"patterns": {"x": b"x"}}, "option"),
        ({"patterns": {"x": re.compile(b"x")}}, "option"),
        ({"patterns": {"email": "x"}}, "option"),
        ({"patterns": {"a b": "x"}}, "option"),
        ({"patterns": ["x"]}, "type"),
        ({"words": [""]}, "option"),
        ({"words": [b"hunter2"]}, "option"),
        ({"words": "hunter2"}, "type"),
    ],
)
def test_wrong_options_are_refused(options: Any, code: str) -> None:
    """An invalid kind, pattern or word is a typed error, which doesn't show the word."""
    with pytest.raises(am.InvalidMessage) as caught:
        am.redact("x", **options)
    assert caught.value.code == code
    assert "hunter2" not in str(caught.value)


def test_the_loss_report_says_that_it_holds_secrets() -> None:
    """Its header on file has it; reading, pickling and filtering keep it; a false header is refused."""
    done = am.redact(_talk())
    raw = am.dump_losses(done.losses, done.history)
    assert json.loads(raw.splitlines()[0])["secrets"] is True
    assert (done.losses.codec, done.losses.secret) == ("redact", True)
    read = am.load_losses(raw)
    for losses in (read, pickle.loads(pickle.dumps(done.losses)), done.losses[:1], read.content):
        assert losses.secret
        assert losses[0].secret
    assert read == done.losses
    assert am.same(pickle.loads(pickle.dumps(done)).history, done.history)
    assert not am.redact(["nothing"]).losses.secret
    with pytest.raises(am.DecodeError):
        am.load_losses(raw.replace(b'"secrets":true', b'"secrets":1'))


def test_a_redactor_is_made_once() -> None:
    """A Redactor redacts one history after the other like redact, can be pickled, and doesn't show its words."""
    redactor = Redactor(kinds=["email"], words=["hunter2"])
    again: Callable[[Any], am.Redaction] = pickle.loads(pickle.dumps(redactor))
    assert "hunter2" not in repr(redactor)
    for each in (redactor, again):
        assert each(am.History.of("hunter2 a@example.com")).history[0].text == "REDACTED_WORD_1 REDACTED_EMAIL_1"


@given(histories())
@settings(max_examples=effort(100))
def test_any_history_is_redacted_and_restored(history: am.History) -> None:
    """Whatever a history holds, redaction loses nothing that its loss report doesn't restore."""
    done = am.redact(history, words=["a", "x", "openai"], patterns={"digits": r"\d+", "none": "q*"})
    assert am.same(am.restore(done.history, done.losses), history)
    read = am.load_losses(am.dump_losses(done.losses, done.history))
    assert am.same(am.restore(am.loads(am.dumps(done.history, "json"), "json"), read), history)


_PIECES = [
    "a", "@", "a@", "a@b.", "eyJ", "eyJ-", "eyJaaaaaa.", "sk-", "sk-a", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----",
    "pwd=a1",
    "://", "://a:", "://a:b@", "://1a", "bearer ", "bearer a", "authorization: bearer a", "basic YTpi", "password=",
    "api_key=", "?key=", "/home/", "\\", "C:\\Users\\a b ", "REDACTED_", "REDACTED_A_", ";base64,", "%40a",
    "SG.a.", "AKIA", "\\n", "password: hunter{0}2 ", "u{0}@example.com ", "/home/u{0} ", "https://a:hunter{0}@b ",
]  # fmt: skip


# What each shape begins with, again and again, with and without what may follow.
HOSTILE = [
    *_PIECES,
    *(f"{anchor}{more}" for rule in RULES for anchor in rule.anchors for more in ("", " ", "=a1", ": -p ")),
]


@pytest.mark.parametrize("piece", some(HOSTILE, effort(40)))
def test_time_grows_with_the_text(piece: str) -> None:
    """For a hostile text, four times the length takes far less than sixteen times as long: no pattern backtracks."""
    redactor = Redactor()

    def work(size: int) -> Callable[[], Any]:
        history = am.History.of("".join(piece.format(number) for number in range(size // len(piece))))
        return lambda: redactor(history)

    check_growth(work, (25_000, 100_000), 9, floor=0.005)


def test_every_shape_tells_its_source() -> None:
    """Each row of the table is of an existing kind, and names a public page."""
    assert {rule.kind for rule in RULES} == set(KINDS)
    assert all(rule.about.startswith("https://") and rule.anchors for rule in RULES)
