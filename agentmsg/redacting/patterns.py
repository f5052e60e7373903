r"""The shapes of secrets: one row each, with the public page that documents it.

No library on PyPI fits. detect-secrets (no release since May 2024) reads files line by line, returns values but no
places, and needs requests and PyYAML. CredSweeper brings a neural network, presidio a language model, scrubadub
scikit-learn; betterleaks and kingfisher run a program in another language. So the shapes are defined here.

Rules of this table, which keep the time linear in the text:

- ``anchors`` are words of which one must occur; a text without any isn't searched at all. Those of a ``leading`` shape
  begin what is found, as they are written; all others are lower-case and may be anywhere in it.
- A repetition without bound may only follow what can't begin again inside of it (``_EDGE``), or is possessive.
- ``secret`` is the group to replace; without one it is the whole match.

A text may be JSON text, so a shape may also begin behind an escape such as ``\n``, and a quote may have a backslash.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["KINDS", "RULES", "SECRET_NAMES", "Rule", "SecretKind", "label_of"]

SecretKind: TypeAlias = Literal["key", "token", "private-key", "password", "email", "home"]
KINDS: tuple[str, ...] = get_args(SecretKind)
"""The built-in kinds of secrets."""


@attrs.frozen
class Rule:
    """One shape of a secret.

    Attributes:
        kind: of the secret; names its placeholder.
        anchors: words of which a text must contain one; none: every text is searched.
        pattern: what to find; its group ``secret``, if it has one, is what to replace.
        about: the public page that describes the shape.
        normal: returns the same text for two spellings of one secret.
        check: whether what was found is a secret.
        leading: whether the secret begins with an anchor, in the given case.
        by_context: whether only the context identifies it, so that it is searched elsewhere, too.
    """

    kind: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    about: str = ""
    normal: Callable[[str], str] = str
    check: Callable[[str], bool] = bool
    leading: bool = False
    by_context: bool = False

    def may_be_in(self, text: str, lower: str) -> bool:
        """Whether a text may hold such a secret, given the text and its lower case."""
        where = text if self.leading else lower
        return not self.anchors or any(map(where.__contains__, self.anchors))

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the places of secrets with this shape."""
        group: str | int = "secret" if "secret" in self.pattern.groupindex else 0
        for found in self._led(text) if self.leading else self.pattern.finditer(text):
            start, end = found.span(group)
            if start < end and self.check(text[start:end]):
                yield start, end

    def _led(self, text: str) -> Iterator[re.Match[str]]:
        """Yield matches that begin with an anchor: jumping from anchor to anchor takes a tenth of a search's time."""
        match = self.pattern.match
        for anchor in self.anchors:
            at = text.find(anchor)
            while at >= 0:
                found = match(text, at)
                if found is not None:
                    yield found
                at = text.find(anchor, at + 1 if found is None else found.end())


def label_of(kind: str) -> str:
    """Return the word for a kind in its placeholders."""
    return re.sub(r"\W", "_", kind, flags=re.ASCII).upper()


# Where a word begins: not after a letter or digit, except at the end of an escape (\n, \u003d, %3D).
_ESCAPED = r"(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2})"
_START = rf"(?:(?<![A-Za-z0-9])|{_ESCAPED})"
# The same for words that may contain "-" and "_".
_EDGE = rf"(?:(?<![\w.-])|{_ESCAPED})"
_DIGIT = r"(?=[^\s0-9]{0,200}[0-9])"
# A name and its value in a header, in JSON, in code, in an environment: name: value, "name": "value", name=value.
_IS = r"[\"'\\]{0,4}\s{0,4}[:=]\s{0,4}[\"'\\]{0,4}"
_VALUE = rf"(?P<secret>{_DIGIT}[^\s\"'\\,;&<>(){{}}\[\]$`]{{8,}})"
_SEP = r"(?:\\{0,8}/|\\{1,8}|%2[Ff]|%5[Cc])"
_NOBODY = r"(?!(?:Shared|Public|Default)(?![\w.-]))"
_NAME = r"\w(?:[\w.@+$-]{0,63}[\w$])?"
_BODY = r"[^-]*+(?:-{1,4}(?!-)[^-]*+)*+"
_BASE64_LINES = r"(?:[A-Za-z0-9+/=]{16,}+|\s|\\{1,8}[nr])*+"
_GITHUB = "https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns"


def _is_credentials(text: str) -> bool:
    """Whether a text is ``user:password`` in base64."""
    try:
        return b":" in b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return False


def _one_line(text: str) -> str:
    """Return a key without its line ends, which are escaped in JSON text."""
    return re.sub(r"\\+[nr]|\s", "", text)


def _mail(text: str) -> str:
    return text.replace("%40", "@").lower()


def _key(anchors: str, pattern: str, about: str = _GITHUB) -> Rule:
    return Rule("key", tuple(anchors.split()), re.compile(_START + pattern), about, leading=True)


def _said(kind: str, anchors: str, pattern: str, about: str, check: Callable[[str], bool] = bool) -> Rule:
    return Rule(kind, tuple(anchors.split()), re.compile(pattern), about, check=check, by_context=True)


SECRET_NAMES = re.compile(
    r"(?i)(?:.{0,60}[_.-])??(?:api[_-]?key|apikey|secret|secret[_-]?(?:access[_-]?)?key|access[_-]?key|private[_-]?key|"
    r"(?:access|auth|refresh|session|security|bearer|api)[_-]?token|client[_-]?secret|(?P<password>pass(?:word|wd|phrase)|pwd))"
)
"""What a value is called that is a secret for its name alone (the whole key of a JSON object)."""

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
        re.compile(_EDGE + r"eyJ[\w-]{5,}+\.eyJ[\w-]{2,}+(?:\.[\w-]*+)?"),
        "https://www.rfc-editor.org/rfc/rfc7519",
    ),
    # Providers' keys, by their prefixes.
    _key(
        "sk-",
        r"sk-(?:(?:proj|svcacct|admin|ant|or|lf)-[\w-]{8,}|(?=[a-z_-]{0,200}[A-Z0-9])[\w-]{20,}|[a-z]{20,})",
        "https://platform.openai.com/docs/api-reference/authentication",
    ),
    _key("AIza", r"AIza[\w-]{35}", "https://cloud.google.com/docs/authentication/api-keys"),
    _key("GOCSPX- ya29.", r"(?:GOCSPX-|ya29\.)[\w-]{20,}", "https://developers.google.com/identity/protocols/oauth2"),
    _key(
        "AKIA ASIA ABIA ACCA",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html",
    ),
    _key(
        "ABSK", r"ABSK[A-Za-z0-9+/]{100,}={0,2}", "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html"
    ),
    _key(
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})",
        "https://github.blog/engineering/behind-githubs-new-authentication-token-formats/",
    ),
    _key(
        "glpat- glptt- gldt- glrt- glsoat-",
        r"gl(?:pat|ptt|dt|rt|soat)-[\w.-]{20,}",
        "https://docs.gitlab.com/security/tokens/",
    ),
    _key(
        "xox xapp-",
        r"(?:xox[abceoprs]|xapp)(?:\.xox[bp])?-[A-Za-z0-9-]{10,}",
        "https://docs.slack.dev/authentication/tokens/",
    ),
    _key("hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9+/]{20,})"),
    _key(
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{10,}",
        "https://docs.stripe.com/keys",
    ),
    _key("hf_ api_org_", r"(?:hf_|api_org_)[A-Za-z0-9]{30,}", "https://huggingface.co/docs/hub/security-tokens"),
    _key(
        "gsk_ xai- pplx- r8_ csk- nvapi- fw_",
        r"(?:gsk_|xai-|pplx-|r8_|csk-|nvapi-|fw_)(?=[A-Za-z_-]{0,60}[0-9])[\w-]{24,}",
    ),
    _key(
        "lsv2_",
        r"lsv2_[a-z]{2}_[0-9a-f]{32}(?:_[0-9a-f]{10})?",
        "https://docs.langchain.com/langsmith/create-account-api-key",
    ),
    _key("tvly- pcsk_ e2b_ ntn_ secret_", r"(?:tvly-|pcsk_|e2b_|ntn_|secret_)(?=[A-Za-z_-]{0,60}[0-9])[\w-]{30,}"),
    _key("npm_ pypi-", r"(?:npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,})", "https://docs.npmjs.com/about-access-tokens"),
    _key(
        "SG.",
        r"SG\.[\w-]{16,32}\.[\w-]{16,64}",
        "https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys",
    ),
    _key("SK key-", r"(?:SK|key-)[0-9a-f]{32}(?![A-Za-z0-9])", "https://www.twilio.com/docs/iam/api-keys"),
    Rule(
        "key",
        (":aa",),
        re.compile(_START + r"[0-9]{8,10}:AA[\w-]{33}"),
        "https://core.telegram.org/bots/api#authorizing-your-bot",
    ),
    _key("dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}", "https://docs.digitalocean.com/reference/api/"),
    _key("shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _key("lin_api_ dckr_pat_ figd_ sbp_", r"(?:lin_api_|dckr_pat_|figd_|sbp_)[\w-]{20,}"),
    _key("dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?", "https://docs.databricks.com/dev-tools/auth/pat"),
    _key(
        "hvs. hvb. dp.pt.",
        r"(?:hv[sb]|dp\.pt)\.[\w-]{24,}",
        "https://developer.hashicorp.com/vault/docs/concepts/tokens",
    ),
    _key("ATATT3 NRAK- PMAK- HRKU-", r"(?:ATATT3|NRAK-|PMAK-|HRKU-)[\w=-]{20,}"),
    _key("sntrys_ sntryu_", r"sntry[su]_[\w+/=-]{20,}", "https://docs.sentry.io/account/auth-tokens/"),
    _key("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}", "https://age-encryption.org/v1"),
    # Secrets identified by a header, a URL or a name before the value.
    _said(
        "token",
        "authorization",
        rf"(?i:authorization){_IS}(?i:bearer|basic|token|bot|api-?key)\s{{1,4}}(?P<secret>[\w.~+/=:-]{{8,}})",
        "https://www.rfc-editor.org/rfc/rfc9110#name-authorization",
    ),
    _said(
        "token",
        "bearer",
        rf"{_START}(?i:bearer)(?:\s|%20|\+){{1,4}}(?P<secret>(?:{_DIGIT}[\w.~+/-]{{16,}}|[\w.~+/-]{{32,}})={{0,2}})",
        "https://www.rfc-editor.org/rfc/rfc6750",
    ),
    _said(
        "token",
        "bearer",
        r"\A(?i:bearer)\s{1,4}(?P<secret>[\w.~+/-]{8,}={0,2})\Z",  # the value of a header, by itself
        "https://www.rfc-editor.org/rfc/rfc6750",
    ),
    _said(
        "token",
        "basic",
        rf"{_START}(?i:basic)\s{{1,4}}(?P<secret>[A-Za-z0-9+/]{{6,}}={{0,2}})(?![\w=])",
        "https://www.rfc-editor.org/rfc/rfc7617",
        check=_is_credentials,
    ),
    _said(
        "password",
        "://",
        r"://[^\s/?#@:\"'\\<>]{0,200}:(?P<secret>(?![${*])[^\s/?#\"'\\<>]{1,512})@(?=[\w\[.])",
        "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1",
    ),
    _said(
        "token",
        "://",
        rf"://(?P<secret>{_DIGIT}[\w.~-]{{20,255}})@(?=[\w\[])",
        "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1",
    ),
    _said(
        "token",
        "token= key= sig= signature= auth= secret= password= passwd= pwd=",
        r"(?:[?&;]|\\u0026)(?i:(?:access_|auth_|api_|id_|refresh_)?token|(?:api[_-]?)?key|sig|(?:x-(?:amz|goog)-)?signature|"
        rf"x-amz-security-token|auth|(?:client_)?secret|password|passwd|pwd)={_VALUE}",
        "https://www.rfc-editor.org/rfc/rfc6750#section-2.3",
    ),
    _said(
        "password",
        "password passwd passphrase pwd",
        rf"(?i:pass(?:word|wd|phrase)|pwd){_IS}{_VALUE}",
        "https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password",
    ),
    _said(
        "key",
        "api_key api-key apikey access_key access-key accountkey accesskey secret _token -token token_ authtoken",
        r"(?i:api[_-]?key|(?:access|account)[_-]?key|secret|(?:access|auth|refresh|session|security|bot|api)[_-]?token|"
        rf"[a-z0-9]_token){_IS}{_VALUE}",
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html",
    ),
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
            rf"(?:(?<![\w.~-])|(?<=[/\\][A-Za-z])|(?<=/var)|(?<=/usr)|(?<=/[dD]ata)|(?<=/export)|{_ESCAPED})"
            rf"(?:[/\\]|%2[Ff]|%5[Cc])(?:home|Users){_SEP}(?P<secret>{_NOBODY}{_NAME})"
        ),
        "https://refspecs.linuxfoundation.org/FHS_3.0/fhs/ch03s08.html",
        leading=True,
    ),
)
"""All shapes; where two overlap, the first one holds."""
