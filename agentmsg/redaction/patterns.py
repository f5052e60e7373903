r"""What is found: one row for each shape, with its kind and who documents it.

No library fits. detect-secrets (1.5.0, May 2024) finds lines to look at, not where a secret ends; of a private key it
finds the first line; it knows neither mail addresses nor home paths, nor keys of Anthropic, Google or Hugging Face,
and needs requests and PyYAML. Scanners of personal data bring language models. So this is a small table of our own.

Every pattern is linear in the text: it begins with fixed letters or at the edge of a word, repeats one set of
characters at a time, and possessively where something must follow. A row is tried only where one of its ``hints``
stands in the text. Where only a part is secret, that is the group ``s``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, TypeAlias, get_args

import attrs

__all__ = ["KINDS", "ROWS", "KindName", "Row"]

KindName: TypeAlias = Literal["email", "home", "key", "password", "private_key", "token"]
KINDS = frozenset(get_args(KindName))
"""The kinds that are found: mail addresses, names in home paths, API keys, passwords in URLs, private keys, tokens."""


@attrs.frozen
class Row:
    """One shape.

    Attributes:
        kind: one of KINDS, or a name of the caller's.
        name: whose it is.
        pattern: a regular expression.
        hints: texts of which each match holds one; empty means that nothing tells.
        source: who documents the shape.
    """

    kind: str
    name: str
    pattern: str
    hints: tuple[str, ...] = ()
    source: str = ""

    def finder(self) -> re.Pattern[str]:
        """Return the compiled pattern."""
        return _compiled(self.pattern)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


# Edges: no letter of a key stands before or behind it.
_A, _Z = r"(?<![A-Za-z0-9_-])", r"(?![A-Za-z0-9_-])"
_GITHUB = "https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/"
_GITHUB_LIST = (
    "https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns"
)


def _prefixed(name: str, prefixes: str, rest: str, source: str = _GITHUB_LIST, *, kind: str = "key") -> Row:
    """Return the row of keys that begin with one of some fixed texts, parted by spaces."""
    words = tuple(prefixes.split())
    return Row(kind, name, f"{_A}(?:{'|'.join(map(re.escape, words))}){rest}", words, source)


_NAME = r"\w(?:[\w.-]*\w)?"
_NO_NAME = r"(?!(?:Shared|Public|Default|REDACTED_\w+)\b)"

ROWS: tuple[Row, ...] = (
    # -- private keys: to the end of the block, or of what is there of it ----------------------------------------------
    Row(
        "private_key",
        "PEM and PGP",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----[\w\s+/=:,.@<>()\\]*+"
        r"(?:-(?!----)[\w\s+/=:,.@<>()\\]*+)*+(?:-----END [A-Z0-9 ]{1,40}-----)?",
        ("PRIVATE KEY",),
        "RFC 7468; RFC 9580, section 6.2",
    ),
    Row(
        "private_key",
        "age",
        r"AGE-SECRET-KEY-1[A-Z0-9]{50,}",
        ("AGE-SECRET-KEY-1",),
        "https://age-encryption.org/v1",
    ),
    # -- tokens --------------------------------------------------------------------------------------------------------
    Row(
        "token",
        "JSON Web Token",
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,}+(?:\.[A-Za-z0-9_-]*+){2,4}",
        ("eyJ",),
        "RFC 7519, section 3",
    ),
    Row(
        "token",
        "Authorization header",
        r"(?i:authorization)\\*[\"']?\s{0,4}[:=]\s{0,4}\\*[\"']?(?i:bearer|basic|token)\s{1,4}(?P<s>[^\s\"'\\,;]{4,})",
        ("uthorization", "UTHORIZATION"),
        "RFC 9110, section 11.6.2",
    ),
    Row(
        "token",
        "bearer token",
        r"(?i:(?<![a-z0-9])bearer)\s{1,4}(?P<s>(?=[A-Za-z._~+/=-]{0,200}[0-9])[A-Za-z0-9._~+/=-]{12,})",
        ("earer ", "EARER ", "earer\t"),
        "RFC 6750, section 2.1",
    ),
    Row(
        "token",
        "value of an Authorization header",
        r"\A(?i:bearer|basic|token)\s{1,4}(?P<s>[A-Za-z0-9._~+/=-]{8,})\Z",
        ("earer ", "EARER ", "asic ", "ASIC ", "oken ", "OKEN "),
        "RFC 9110, section 11.6.2",
    ),
    Row(
        "token",
        "token in a URL",
        r"(?i:[?&;](?:access_token|refresh_token|id_token|auth_token|token|api[_-]?key|key|client_secret|sig|signature|"
        r"x-amz-signature|x-amz-security-token|x-goog-signature)=)(?P<s>[^\s&#\"'<>\\]{12,})",
        ("=",),
        "RFC 6750, section 2.3; signed URLs of AWS, Google Cloud and Azure",
    ),
    _prefixed("GitHub", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"[A-Za-z0-9_]{20,}", _GITHUB, kind="token"),
    _prefixed("GitLab", "glpat- gldt- glrt- glptt- glsoat-", r"[\w-]{20,}", kind="token"),
    _prefixed("Slack", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", r"[\w-]{10,}", kind="token"),
    Row(
        "token",
        "Slack webhook",
        r"hooks\.slack\.com/(?:services|workflows)/(?P<s>[\w/+-]{20,})",
        ("hooks.slack.com",),
        "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks",
    ),
    Row(
        "token",
        "Discord webhook",
        r"discord(?:app)?\.com/api/webhooks/\d{15,20}/(?P<s>[\w-]{40,})",
        ("/api/webhooks/",),
        "https://discord.com/developers/docs/resources/webhook",
    ),
    Row(
        "token",
        "Telegram bot",
        r"(?<![A-Za-z0-9])\d{8,10}:AA[\w-]{32,33}(?![\w-])",
        (":AA",),
        "https://core.telegram.org/bots/features#botfather",
    ),
    _prefixed("Google OAuth", "ya29. 1//0", r"[\w.-]{20,}", kind="token"),
    _prefixed("npm", "npm_", r"[A-Za-z0-9]{36}", kind="token"),
    _prefixed("PyPI", "pypi-", r"[\w-]{50,}", kind="token"),
    _prefixed("Docker", "dckr_pat_ dckr_oat_", r"[\w-]{20,}", kind="token"),
    _prefixed("HashiCorp Vault", "hvs. hvb. hvr.", r"[\w-]{20,}", kind="token"),
    _prefixed("Atlassian", "ATATT3 ATCTT3", r"[\w=.-]{60,}", kind="token"),
    # -- keys ----------------------------------------------------------------------------------------------------------
    Row(
        "key",
        "OpenAI, Anthropic, DeepSeek, OpenRouter and others",
        rf"{_A}sk-(?=[A-Za-z_-]{{0,200}}[0-9])[\w-]{{16,}}",
        ("sk-",),
        "https://platform.openai.com/docs/api-reference/authentication; https://docs.claude.com/en/api/overview",
    ),
    Row(
        "key",
        "AWS access key id",
        rf"{_A}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}{_Z}",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html",
    ),
    Row(
        "key",
        "AWS secret access key",
        r"(?i:secret_?access_?key)\\*[\"']?\s{0,4}[:=]\s{0,4}\\*[\"']?(?P<s>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
        ("ecret", "ECRET"),
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html",
    ),
    _prefixed("Amazon Bedrock", "ABSK bedrock-api-key-", r"[A-Za-z0-9+/=]{40,}"),
    _prefixed("Google", "AIza", rf"[\w-]{{35}}{_Z}"),
    _prefixed("Google OAuth client", "GOCSPX-", r"[\w-]{20,}"),
    Row(
        "key",
        "Azure storage, Service Bus, Cosmos DB",
        r"(?:AccountKey|SharedAccessKey)=(?P<s>[A-Za-z0-9+/]{40,}={0,2})",
        ("AccountKey=", "SharedAccessKey="),
        "https://learn.microsoft.com/en-us/azure/storage/common/storage-configure-connection-string",
    ),
    Row(
        "key",
        "key in a header",
        r"(?i:(?:x-api-key|x-goog-api-key|api-key))\\*[\"']?\s{0,4}:\s{0,4}\\*[\"']?(?P<s>[\w.~+/=-]{12,})",
        ("-key", "-Key", "-KEY"),
        "https://docs.claude.com/en/api/overview; https://learn.microsoft.com/en-us/azure/ai-services/authentication",
    ),
    _prefixed("Hugging Face", "hf_ api_org_", r"[A-Za-z0-9]{20,}"),
    _prefixed("Groq", "gsk_", r"[A-Za-z0-9]{20,}"),
    _prefixed("xAI", "xai-", r"[A-Za-z0-9]{20,}"),
    _prefixed("Perplexity", "pplx-", r"[A-Za-z0-9]{20,}"),
    _prefixed("Replicate", "r8_", r"[A-Za-z0-9]{30,}"),
    _prefixed("NVIDIA", "nvapi-", r"[\w-]{20,}"),
    _prefixed("Together", "tgp_v1_", r"[\w-]{20,}"),
    _prefixed("Tavily", "tvly-", r"[\w-]{16,}"),
    _prefixed("LangSmith", "lsv2_pt_ lsv2_sk_ ls__", r"[A-Za-z0-9_]{20,}"),
    _prefixed("Langfuse", "sk-lf- pk-lf-", r"[\w-]{20,}"),
    _prefixed("Stripe", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", r"[A-Za-z0-9+/=]{10,}"),
    _prefixed("SendGrid", "SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    _prefixed("Twilio", "SK", rf"[0-9a-f]{{32}}{_Z}"),
    _prefixed("Mailgun", "key-", rf"[0-9a-f]{{32}}{_Z}"),
    _prefixed("DigitalOcean", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    _prefixed("Databricks", "dapi", rf"[0-9a-f]{{32}}(?:-\d)?{_Z}"),
    _prefixed("Shopify", "shpat_ shpca_ shppa_ shpss_", r"[0-9A-Fa-f]{32}"),
    _prefixed("Linear", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{30,}"),
    _prefixed("Notion", "ntn_ secret_", r"[A-Za-z0-9]{40,}"),
    _prefixed("Supabase", "sbp_ sb_secret_", r"[\w-]{20,}"),
    _prefixed("Sentry", "sntrys_ sntryu_", r"[\w+/=-]{40,}"),
    _prefixed("New Relic", "NRAK-", r"[A-Z0-9]{20,}"),
    # -- passwords -----------------------------------------------------------------------------------------------------
    Row(
        "password",
        "password in a URL",
        r"://[^\s:/?#@\"'<>]{0,256}+:(?P<s>[^\s/?#\"'<>]{1,256})@",
        ("://",),
        "RFC 3986, section 3.2.1",
    ),
    # -- personal data -------------------------------------------------------------------------------------------------
    Row(
        "email",
        "mail address",
        r"(?<![\w.+-])(?!git@|REDACTED_[A-Z0-9_]{1,120}+(?:@|%40))[\w.+-]{1,64}+(?:@|%40)(?:[^\W_][\w-]{0,62}+\.)+(?:xn--[A-Za-z0-9-]{1,59}|[^\W\d_]{2,63})",
        ("@", "%40"),
        "RFC 5321, section 4.1.2; RFC 6531",
    ),
    Row(
        "home",
        "home folder of Linux, macOS and WSL",
        r"(?:(?<![\w./-])|(?<=file://)|(?<=-[IL]))"
        r"(?:\\{0,4}/(?:mnt|var|export|private|host|srv|net|media|rootfs|[a-z])){0,3}\\{0,4}/(?:home|Users)\\{0,4}/"
        rf"{_NO_NAME}(?P<s>{_NAME})",
        ("home", "Users"),
        "Filesystem Hierarchy Standard 3.0, section 3.8",
    ),
    Row(
        "home",
        "home folder of Windows",
        r"(?<![A-Za-z0-9])[A-Za-z]:[\\/]{1,8}(?i:users|documents and settings)[\\/]{1,8}"
        rf"{_NO_NAME}(?P<s>[\w.-]{{1,64}}(?: [\w.-]{{1,64}}){{1,2}}(?=\\)|{_NAME})",
        (":\\", ":/"),
        "https://learn.microsoft.com/en-us/windows/win32/shell/knownfolderid",
    ),
)  # fmt: skip
"""All shapes, in the order in which they are looked for: what lies in a match of an earlier one is gone by then."""
