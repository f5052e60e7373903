r"""The shapes of secrets: one row each, with the public page that documents it; ``tokens`` has those of services.

Rules of these tables, which keep the time linear in the text:

- ``anchors`` are words of which one must occur; a text without any isn't searched at all. Those of a ``leading`` shape
  begin what is found, as they are written; all others are lower-case and may be anywhere in it.
- A repetition without bound may only follow what can't begin again inside of it (``EDGE``), or is possessive.
- ``secret`` is the group to replace; without one it is the whole match.

A text may be JSON text, so a shape may also begin behind an escape such as ``\n``, and a quote may have a backslash.
"""

from __future__ import annotations

import re
from base64 import b64decode
from ipaddress import ip_address

from agentmsg.redacting.commands import COMMANDS
from agentmsg.redacting.rule import COOKIES, DIGIT, EDGE, ESCAPED, HARD_CODED, IS, LITERAL, OPEN, START, Rule, said
from agentmsg.redacting.tokens import TOKENS

_VALUE = rf"(?P<secret>{LITERAL}{DIGIT}[^\s\"'\\,;&<>(){{}}\[\]$`]{{8,}}(?<!\.))"
_SEP = r"(?:\\{0,8}/|\\{1,8}|%2[Ff]|%5[Cc])"
# Folders that are shared, and accounts that images and services of build machines come with.
_NOBODY = (
    r"(?!(?:Shared|Public|Default|All Users|Administrator|ContainerAdministrator|app|appuser|azureuser|centos|circleci|"
    r"codespace|coder|container|debian|docker|ec2-user|gitpod|jenkins|jovyan|linuxbrew|node|nonroot|runner|runneradmin|"
    r"sandbox|travis|ubuntu|user|username|Username|vagrant|vscode|vsts|work|worker|workspace)(?![\w.-]))"
)
_NAME = r"\w(?:[\w.@+$-]{0,63}[\w$])?"
_BODY = r"[^-]*+(?:-{1,4}(?!-)[^-]*+)*+"
_BASE64_LINES = r"(?:[A-Za-z0-9+/=]{16,}+|\s|\\{1,8}[nr])*+"

# What a value may look like that is secret for its name alone: not a type, a variable, a mask or prose.
_SECRET = re.compile(r"(?![$<{%*])(?!(.)\1*$)\S{4,}")
_NO_SECRETS = re.compile(
    r"(?i)string|str|text|varchar|none|null|nil|undefined|true|false|required|optional|hidden|invalid|missing|incorrect|"
    r"(?:your|my|the|enter|new|old|current|db|user|confirm|forgot|reset)?[ _-]?(?:pass[a-z]*|passwor[td]|secret|token|"
    r"(?:api[_-]?)?key)(?:[_-]?here)?"
)
_NO_WORDS = re.compile(r"(?=[^a-zA-Z]*[a-zA-Z])(?=[^0-9]*[0-9]).*?[A-Za-z0-9]{12}", re.DOTALL)


def may_be_secret(text: str) -> bool:
    """Whether the value of a secret name may be a secret."""
    return bool(_SECRET.fullmatch(text)) and not _NO_SECRETS.fullmatch(text)


def is_random(text: str) -> bool:
    """Whether a text looks like a token: letters and digits, 20 or more, and not words with hyphens only."""
    return len(text) >= 20 and bool(_NO_WORDS.match(text)) and " " not in text  # noqa: PLR2004 - 120 bits in base64


def _is_credentials(text: str) -> bool:
    """Whether a text is ``user:password`` in base64."""
    try:
        return b":" in b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return False


def _is_card(text: str) -> bool:
    """Whether the last digit is that of Luhn's formula."""
    digits = [int(char) for char in reversed(text) if char.isdigit()]
    return sum(digits[::2], sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])) % 10 == 0


def _is_iban(text: str) -> bool:
    """Whether the check digits are those of ISO 7064."""
    code = text.replace(" ", "")
    return int("".join(str(int(char, 36)) for char in code[4:] + code[:4])) % 97 == 1


def _is_address(text: str) -> bool:
    """Whether a text is the address of a machine that isn't this one."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _one_line(text: str) -> str:
    """Return a key without its line ends, which are escaped in JSON text."""
    return re.sub(r"\\+[nr]|\s", "", text)


def _mail(text: str) -> str:
    return text.replace("%40", "@").lower()


def _without_gaps(text: str) -> str:
    return re.sub(r"[^0-9A-Za-z+]", "", text)


_PASSWORD = r"pass(?:word|wd|phrase)|pwd|(?<=[_.-])pass"  # noqa: S105 - names of passwords
_KEYS = (
    "api", "access", "account", "secret", "private", "preshared", "auth", "encryption", "signing", "master", "storage",
    "app", "client", "subscription",
)  # fmt: skip
_TOKENS = ("access", "auth", "refresh", "session", "security", "bearer", "bot", "api", "id", "deploy")
_KEY = (
    rf"(?:{'|'.join(_KEYS)})[ _-]?key(?:[_-](?:data|base|id))?|secret(?:[_-]key[_-]base)?|"
    rf"(?:{'|'.join(_TOKENS)})[_-]?token"
)
# The same, begun at its last word, because that is quick to find.
_SAID_KEY = (
    rf"(?:key(?=[_\"'\\\s:=-])(?:{'|'.join(f'(?<={word}[ _-]key)|(?<={word}key)' for word in _KEYS)})"
    r"(?:[_-](?:data|base|id))?|secret|"
    rf"token(?=[\"'\\\s:=])(?<!next.token)(?<!page.token)(?<!sync.token)"
    rf"(?:(?<=[a-z0-9][_-]token)|{'|'.join(f'(?<={word}token)' for word in _TOKENS)}))"
)
SECRET_NAMES = re.compile(
    r"(?:.{0,60}(?:[_.-]|(?<=[a-z])(?=[A-Z])))??(?i:" + _KEY + r"|(?P<password>" + _PASSWORD + r"|pass)|"
    r"(?P<token>token)|(?P<header>(?:set-)?cookie2?|(?:proxy-)?authorization))"
)
"""What a value is called that is a secret for its name alone (the whole key of a JSON object)."""

_WHERE_KEY = "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html"
_WHERE_URL = "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1"
_NAMED: tuple[Rule, ...] = (
    said(
        "token",
        "authorization",
        rf"(?i:authorization){IS}(?:(?i:bearer|basic|token|bot|api-?key|ssws)\s{{1,4}}(?=[\w.~+/=:-]{{8}})|"
        rf"(?={DIGIT}[\w.~+/=:-]{{16}}))(?P<secret>[\w.~+/=:-]++)",
        "https://www.rfc-editor.org/rfc/rfc9110#name-authorization",
    ),
    said(
        "token",
        "bearer",
        rf"{START}(?i:bearer)(?:\s|%20|\+){{1,4}}(?P<secret>(?:{DIGIT}[\w.~+/-]{{16,}}|[\w.~+/-]{{32,}})={{0,2}})",
        "https://www.rfc-editor.org/rfc/rfc6750",
    ),
    said(
        "token",
        "bearer",
        r"\A(?i:bearer)\s{1,4}(?P<secret>[\w.~+/-]{8,}={0,2})\Z",  # the value of a header, by itself
        "https://www.rfc-editor.org/rfc/rfc6750",
    ),
    said(
        "token",
        "basic",
        rf"{START}(?i:basic)\s{{1,4}}(?P<secret>[A-Za-z0-9+/]{{6,}}={{0,2}})(?![\w=])",
        "https://www.rfc-editor.org/rfc/rfc7617",
        check=_is_credentials,
    ),
    said(
        "token",
        "auth",
        rf"(?<=[\"'_])auth{IS}(?P<secret>[A-Za-z0-9+/]{{8,}}={{0,2}})(?=[\"'\\])",
        "https://docs.docker.com/reference/cli/docker/login/",
        check=_is_credentials,
    ),
    said(
        "token",
        "cookie",
        rf"(?i:cookie2?){IS}(?P<secret>[\w.-]{{1,100}}=[^\n\"'\\]{{4,}})",
        "https://www.rfc-editor.org/rfc/rfc6265",
        each=COOKIES,
    ),
    said(
        "password",
        "://",
        r"://[^\s/?#@:\"'\\<>]{0,200}:(?P<secret>(?![${*])[^\s/?#\"'\\<>]{1,512})@(?=[\w\[.])",
        _WHERE_URL,
    ),
    said("token", "://", rf"://(?P<secret>{DIGIT}[\w.~-]{{20,255}})@(?=[\w\[])", _WHERE_URL),
    said(
        "token",
        "token=, key=, sig=, signature=, auth=, secret=, password=, passwd=, pwd=",
        r"(?:[?&;]|\\u0026)(?i:(?:access_|auth_|api_|id_|refresh_)?token|(?:api[_-]?)?key|sig|(?:x-(?:amz|goog)-)?signature|"
        rf"x-amz-security-token|auth|(?:client_)?secret|password|passwd|pwd)={_VALUE}",
        "https://www.rfc-editor.org/rfc/rfc6750#section-2.3",
        leading=False,
    ),
    said(
        "password",
        "pass, pwd",
        rf"(?i:{_PASSWORD}){OPEN}\s{{0,4}}[:=]\s{{0,4}}\\{{0,7}}(?P<quote>[\"'])"
        r"(?P<secret>[^\s\"'\\]{4,200}+)(?=\\{0,7}(?P=quote))",
        HARD_CODED,
        check=may_be_secret,
    ),
    said(
        "password",
        "pass, pwd",
        rf"(?i:{_PASSWORD}){IS}(?![/~]|[A-Za-z]:){_VALUE.replace('8', '6')}",
        HARD_CODED,
    ),
    said(
        "password",
        "password=, passwd=, passphrase=, _pass=, _pwd=",
        rf"(?:PASSWORD|PASSWD|PASSPHRASE|(?<=_)PASS|(?<=_)PWD)=(?P<secret>(?![/~.]){LITERAL}[^\s\"'\\;&|<>()`]{{4,}})",
        HARD_CODED,
        check=may_be_secret,
        leading=False,
    ),
    said(
        "password",
        "pass",
        r"(?i:pass(?:word|phrase|code))\s(?i:is|was)\s{0,3}:?\s{0,3}[\"'`*]{0,3}(?!(?i:sha|md[0-9]|base|utf|pbkdf|argon|http))"
        rf"(?P<secret>{DIGIT}[^\s\"'`,;()<>{{}}\[\]*\\]{{6,200}}(?<![.!?:]))",
        HARD_CODED,
    ),
    said(
        "key",
        "key, secret, token",
        rf"(?i:{_SAID_KEY}){IS}(?=[^\sA-Za-z]{{0,40}}[A-Za-z]){_VALUE}",
        _WHERE_KEY,
    ),
    said(
        "key",
        "pass, pwd, key, secret, token",
        r"(?i:pass(?:word|wd|phrase)?|pwd|key|secret|token)(?:[\"'\\]{0,8},|(?=\s?\n)|(?=\\{1,8}n))(?:\s|\\{1,8}n){0,12}"
        rf"{OPEN}value{IS}{_VALUE}",
        "https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/",
    ),
    said(
        "key",
        "key, secret, token",
        r"(?i:key|secret|token)\s(?i:is|was)\s{0,3}:?\s{0,3}[\"'`*]{0,3}(?P<secret>[\w.~+/=-]{16,}+)",
        HARD_CODED,
        check=is_random,
    ),
    said(
        "key",
        "secret access key",
        r"(?i:secret access key)\s{0,4}(?:\[[^\]\n]{0,40}\])?\s{0,4}[:=]?\s{0,4}(?P<secret>[A-Za-z0-9/+]{40})"
        r"(?![A-Za-z0-9/+])",
        _WHERE_KEY,
    ),
    said(
        "token",
        "token, pat",
        rf"{EDGE}(?:(?i:token)|PAT){IS}(?P<secret>{LITERAL}[\w.~+/=-]{{16,}}+)",
        _WHERE_KEY,
        check=is_random,
    ),
    said(
        "key",
        "_key=, _pat=, _auth=, _credentials=",
        r"(?<=[A-Z0-9]_)(?:KEY|PAT|AUTH|CREDENTIALS)(?<!PUBLIC_KEY)(?<!PRIMARY_KEY)(?<!FOREIGN_KEY)(?<!CACHE_KEY)(?<!SORT_KEY)="
        rf"{OPEN}{_VALUE.replace('8', '16')}",
        _WHERE_KEY,
        leading=False,
    ),
    said(
        "private-key",
        "private-",
        r"Private-(?:Lines:\s[0-9]{1,4}|MAC:|Hash:)(?:\s|\\{1,8}[nr]){0,4}(?P<secret>[A-Za-z0-9+/=]{16,}+"
        r"(?:(?:\s|\\{1,8}[nr]){1,4}[A-Za-z0-9+/=]++(?![-:\w]))*+)",
        "https://the.earth.li/~sgtatham/putty/0.83/htmldoc/AppendixC.html",
    ),
)

_DIGITS = tuple("0123456789")
RULES: tuple[Rule, ...] = (
    # Blocks, and secrets with a form of their own.
    Rule(
        "private-key",
        ("private key",),
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
            rf"(?:{_BODY}-----END [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----|{_BASE64_LINES})"
        ),
        "https://www.rfc-editor.org/rfc/rfc7468",
        normal=_one_line,
    ),
    Rule(
        "token",
        ("eyj",),
        re.compile(EDGE + r"eyJ[\w-]{5,}+\.eyJ[\w-]{2,}+(?:\.[\w-]*+)?"),
        "https://www.rfc-editor.org/rfc/rfc7519",
    ),
    *TOKENS,
    *_NAMED,
    *COMMANDS,
    # Personal data.
    Rule(
        "email",
        ("@", "%40"),
        re.compile(
            r"(?<![\w.+-])(?:(?<=\\)(?:u[0-9A-Fa-f]{4}|[bfnrt])|(?<=%)[0-9A-Fa-f]{2})?+(?P<secret>(?!git(?:@|%40))[\w.+-]++(?:@|%40)"
            r"(?!\d{1,5}\.\d{1,5}(?![\w-]*\.[^\W\d]))[\w-]++(?:\.[\w-]++)++(?<=[^\W\d_]{2}))"
        ),
        "https://www.rfc-editor.org/rfc/rfc5322#section-3.4.1",
        normal=_mail,
    ),
    Rule(
        "home",
        ("users", "documents and settings"),
        re.compile(
            rf"[A-Za-z](?::|%3[Aa])(?P<sep>{_SEP})(?i:users|documents and settings)(?P=sep)(?P<secret>{_NOBODY}"
            rf"(?:\w[\w.-]{{0,40}}(?: [\w.()-]{{1,40}}){{1,3}}(?=(?P=sep)\w)|{_NAME}))"
        ),
        "https://learn.microsoft.com/windows/deployment/usmt/usmt-recognized-environment-variables",
    ),
    Rule(
        "home",
        tuple(f"{sep}{name}" for sep in ("/", "\\", "%2F", "%2f", "%5C", "%5c") for name in ("home", "Users")),
        re.compile(
            rf"(?:(?<![\w.~-])|(?<=[/\\][A-Za-z])|(?<=/var)|(?<=/usr)|(?<=/[dD]ata)|(?<=/export)|{ESCAPED})"
            rf"(?:[/\\]|%2[Ff]|%5[Cc])(?:home|Users){_SEP}(?P<secret>{_NOBODY}{_NAME})"
        ),
        "https://refspecs.linuxfoundation.org/FHS_3.0/fhs/ch03s08.html",
        leading=True,
    ),
    # Only if they are asked for.
    Rule(
        "card",
        _DIGITS,
        re.compile(r"(?<![\w.+-])[2-6][0-9]{3}(?:[ -]?[0-9]){9,15}(?![\w-])"),
        "https://www.iso.org/standard/70484.html",
        normal=_without_gaps,
        check=_is_card,
    ),
    Rule(
        "iban",
        _DIGITS,
        re.compile(r"(?<![\w+/=-])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![\w+/=-])"),
        "https://www.iso.org/standard/81090.html",
        normal=_without_gaps,
        check=_is_iban,
    ),
    Rule(
        "ip",
        (".", ":"),
        re.compile(
            r"(?<![\w.:-])(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w-]|\.\w)|(?=[0-9a-fA-F]{0,4}:)[0-9a-fA-F:]{2,39}(?![\w:.]))"
        ),
        "https://www.rfc-editor.org/rfc/rfc5952",
        check=_is_address,
    ),
    Rule(
        "phone",
        _DIGITS,
        re.compile(
            r"(?<![\w.+/=-])(?:(?:\+|00)[1-9](?:[ ./()-]{0,2}[0-9]){7,14}|\([0-9]{3}\) ?[0-9]{3}[ .-][0-9]{4}|"
            r"[2-9][0-9]{2}([.-])[0-9]{3}\1[0-9]{4})(?![\w-])"
        ),
        "https://www.itu.int/rec/T-REC-E.164",
        normal=_without_gaps,
    ),
)
"""All shapes; where two overlap, the first one holds."""
