r"""The shapes of secrets: one row each, with the public page that documents it.

Rules of these tables, which keep the time linear in the text:

- ``anchors`` are words of which one must occur; a text without any isn't searched at all. Those of a ``leading`` shape
  begin what is found, as they are written; all others are lower-case and may be anywhere in it.
- A repetition without bound may only follow what can't begin again inside of it (``EDGE``), or is possessive.
- ``secret`` is the group to replace; without one it is the whole match.

A text may be JSON text, so a shape may also begin behind an escape such as ``\n``, and a quote may have a backslash.

Keys and tokens of services are recognised by their own form: the words that such tokens begin with, the form, and the
page that describes them, if it isn't one of two lists. The longer the beginning, the less the rest has to say.

No library on PyPI fits. Of 138 made-up tokens in these forms and 102 secrets in commands and settings, betterleaks-py
2.0 and kingfisher-secret-scanner 1.5 (engines in Go and Rust of 29 and 17 MB) miss 60 and 58, and 59 and 92; the second
takes five seconds to start. detect-secrets (no release since 2024) needs requests, PyYAML, and 30 s for a megabyte.
Rules of gitleaks are for engines that never backtrack: most begin with a repetition, for which Python needs quadratic
time. CredSweeper brings a neural network, presidio a language model, scrubadub scikit-learn.
"""

from __future__ import annotations

import re
from base64 import b64decode
from ipaddress import ip_address

from agentmsg.redacting.rule import COOKIES, DIGIT, EDGE, ESCAPED, GAP, HARD_CODED, IS, LITERAL, OPEN, START, Rule, said

_GITHUB = "https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns"
_GITLEAKS = "https://github.com/gitleaks/gitleaks/tree/master/cmd/generate/config/rules"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

# Beginnings that say it all.
_CLEAR: tuple[tuple[str, str] | tuple[str, str, str], ...] = (
    (
        "sk-",
        r"sk-(?:(?:proj|svcacct|admin|ant|or|lf)-[\w-]{8,}|(?:[A-Za-z0-9]{1,12}-){0,3}(?=[a-z_]{0,200}[A-Z0-9])\w{20,}|[a-z]{20,})",
        "https://platform.openai.com/docs/api-reference/authentication",
    ),
    ("AIza", r"AIza[\w-]{35}", "https://cloud.google.com/docs/authentication/api-keys"),
    ("GOCSPX- ya29.", r"(?:GOCSPX-|ya29\.)[\w-]{20,}", "https://developers.google.com/identity/protocols/oauth2"),
    ("1//0", r"1//0[\w-]{40,}", "https://developers.google.com/identity/protocols/oauth2"),
    (
        "AKIA ASIA ABIA ACCA",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html",
    ),
    ("ABSK", r"ABSK[A-Za-z0-9+/]{100,}={0,2}", "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html"),
    (
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})",
        "https://github.blog/engineering/behind-githubs-new-authentication-token-formats/",
    ),
    (
        "glpat- glptt- gldt- glrt- glsoat- glft- glcbt- glimt- glagent- glffct- GR1348941",
        r"(?:gl(?:pat|ptt|dt|rt|soat|ft|cbt|imt|agent|ffct)-|GR1348941)[\w.-]{20,}",
        "https://docs.gitlab.com/security/tokens/",
    ),
    (
        "xox xapp-",
        r"(?:xox[abceoprs]|xapp)(?:\.xox[bp])?-[A-Za-z0-9-]{10,}",
        "https://docs.slack.dev/authentication/tokens/",
    ),
    ("hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9+/]{20,})"),
    (
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/(?P<secret>[0-9]{17,20}/[\w-]{60,80})",
        "https://docs.discord.com/developers/resources/webhook",
    ),
    ("hooks.zapier.com/", r"hooks\.zapier\.com/hooks/catch/(?P<secret>[0-9]{5,10}/[a-z0-9]{5,10})", _GITLEAKS),
    (
        "webhook.office.com/",
        r"webhook\.office\.com/webhookb2/(?P<secret>[0-9a-f@-]{73}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36})",
        _GITLEAKS,
    ),
    (
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{10,}",
        "https://docs.stripe.com/keys",
    ),
    ("hf_ api_org_", r"(?:hf_|api_org_)[A-Za-z0-9]{30,}", "https://huggingface.co/docs/hub/security-tokens"),
    ("nvapi-", r"nvapi-(?=[A-Za-z_-]{0,60}[0-9])[\w-]{40,}"),
    ("tgp_v1_ wandb_v1_", r"(?:tgp|wandb)_v1_[\w-]{40,}"),
    (
        "lsv2_",
        r"lsv2_[a-z]{2}_[0-9a-f]{32}(?:_[0-9a-f]{10})?",
        "https://docs.langchain.com/langsmith/create-account-api-key",
    ),
    ("tvly- pcsk_ e2b_ ntn_", r"(?:tvly-(?:dev-|prod-)?|pcsk_\w{4,8}_|e2b_|ntn_)(?=[A-Za-z_]{0,60}[0-9])\w{30,}"),
    ("apify_api_", r"apify_api_[A-Za-z0-9]{36,}"),
    ("npm_ pypi-", r"(?:npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,})", "https://docs.npmjs.com/about-access-tokens"),
    ("rubygems_", r"rubygems_[0-9a-f]{48}", "https://guides.rubygems.org/api-key-scopes/"),
    ("CLOJARS_", r"CLOJARS_[a-z0-9]{60}"),
    (
        "SG.",
        r"SG\.[\w-]{16,32}\.[\w-]{16,64}",
        "https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys",
    ),
    ("SK key-", r"(?:SK|key-)[0-9a-f]{32}(?![A-Za-z0-9])", "https://www.twilio.com/docs/iam/api-keys"),
    ("xkeysib- xsmtpsib-", r"(?:xkeysib|xsmtpsib)-[0-9a-f]{64}-[A-Za-z0-9]{16}", "https://developers.brevo.com"),
    ("dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}", "https://docs.digitalocean.com/reference/api/"),
    ("shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("shippo_live_ shippo_test_", r"shippo_(?:live|test)_[0-9a-f]{40}"),
    ("duffel_live_ duffel_test_", r"duffel_(?:live|test)_[\w=-]{43}"),
    ("FLWSECK", r"FLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,32}-X"),
    ("lin_api_ lin_oauth_ figd_ figo_ figu_ sbp_", r"(?:lin_(?:api|oauth)_|fig[dou]_|sbp_)[\w-]{20,}"),
    ("dckr_pat_ dckr_oat_", r"dckr_[po]at_[\w-]{20,}", "https://docs.docker.com/security/access-tokens/"),
    ("sb_secret_", r"sb_secret_[\w-]{20,}", "https://supabase.com/docs/guides/api/api-keys"),
    ("pscale_", r"pscale_(?:tkn|pw|oauth)_[\w=.-]{32,}", "https://planetscale.com/docs/api/reference/service-tokens"),
    (
        "glsa_ glc_",
        r"(?:glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|glc_[A-Za-z0-9+/]{32,}={0,2})",
        "https://grafana.com/docs/grafana/latest/administration/service-accounts/",
    ),
    ("tskey-", r"tskey-(?:[a-z]{2,12}-)?[\w-]{20,}", "https://tailscale.com/kb/1085/auth-keys"),
    (
        "sq0atp- sq0csp- sq0ids- sq0csb-",
        r"sq0(?:atp|csp|ids|csb)-[\w-]{22,}",
        "https://developer.squareup.com/docs/build-basics/access-tokens",
    ),
    ("dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?", "https://docs.databricks.com/dev-tools/auth/pat"),
    (
        "hvs. hvb. hvr.",
        r"hv[sbr]\.[\w-]{24,}",
        "https://developer.hashicorp.com/vault/docs/concepts/tokens",
    ),
    ("dp.", r"dp\.(?:ct|pt|st|sa|scim|audit|said)\.(?:[\w-]{1,35}\.)?[A-Za-z0-9]{40,44}", "https://docs.doppler.com"),
    ("dt0", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}", "https://docs.dynatrace.com"),
    ("ATATT3 ATCTT3 ATBB ATSTT3", r"(?:AT[ACS]TT3[\w=-]{20,}|ATBB[A-Za-z0-9_=-]{24,})"),
    ("NRAK- NRII- NRRA- NRJS- NRAA-", r"NR(?:AK|II|RA|JS|AA)-[\w-]{16,}", "https://docs.newrelic.com"),
    ("PMAK- PMAT-", r"PMA[KT]-[\w-]{20,}"),
    ("HRKU-", r"HRKU-[\w-]{20,}", "https://devcenter.heroku.com/articles/authentication"),
    ("sntrys_ sntryu_", r"sntry[su]_[\w+/=-]{20,}", "https://docs.sentry.io/account/auth-tokens/"),
    ("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}", "https://age-encryption.org/v1"),
    ("ops_eyJ", r"ops_eyJ[\w+/-]{100,}={0,3}", "https://developer.1password.com/docs/service-accounts/"),
    ("LTAI", r"LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])", "https://www.alibabacloud.com/help/ram"),
    ("AKCp cmVmdGtu", r"(?:AKCp[A-Za-z0-9]{64,}|cmVmdGtu[A-Za-z0-9]{50,})", "https://jfrog.com/help"),
    ("CFPAT-", r"CFPAT-[\w-]{43}"),
    ("bkua_", r"bkua_[0-9a-f]{40}"),
    ("CCIPAT_ CCIPRJ_", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}"),
    ("v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}", _GITLEAKS),
    ("essu_", r"essu_[\w+/=-]{40,}", "https://www.elastic.co/docs"),
    ("EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{54}", _GITLEAKS),
    ("fo1_ FlyV1", r"(?:fo1_[\w-]{43}|FlyV1 fm[12][ar]?_[A-Za-z0-9+/=,_-]{50,})", "https://fly.io/docs/security/tokens/"),
    ("fio-u-", r"fio-u-[\w=-]{64}", _GITLEAKS),
    ("ico-", r"ico-[A-Za-z0-9]{32}(?![A-Za-z0-9])", _GITLEAKS),
    ("nfp_ nfc_ nfo_ nfu_ nfb_", r"nf[pcoub]_[A-Za-z0-9]{36,}", "https://docs.netlify.com"),
    ("vcp_ vci_ vca_ vcr_ vck_", r"vc[piark]_[A-Za-z0-9]{24,}(?![A-Za-z0-9_])", "https://vercel.com/docs/rest-api"),
    ("phx_", r"phx_[A-Za-z0-9]{40,}", "https://posthog.com/docs/api"),
    ("pnu_ pnb_", r"pn[ub]_[A-Za-z0-9]{36}", "https://docs.prefect.io"),
    ("pul-", r"pul-[0-9a-f]{40}"),
    ("rdme_", r"rdme_[a-z0-9]{70}"),
    ("tk-us-", r"tk-us-[\w-]{48}", _GITLEAKS),
    ("snyk_", r"snyk_[a-z]{3}\.[0-9a-f]{8}\.[\w-]{60,}", "https://docs.snyk.io"),
    ("squ_ sqp_ sqa_", r"sq[upa]_[0-9a-f]{40}", "https://docs.sonarsource.com/sonarqube-server/"),
    ("sgp_", r"sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}", "https://sourcegraph.com/docs/cli/how-tos/creating_an_access_token"),
    ("tfp_", r"tfp_[\w.=-]{40,}", "https://www.typeform.com/developers/get-started/personal-access-token/"),
    ("django-insecure-", r"django-insecure-(?P<secret>[^\s\"'\\]{20,})", "https://docs.djangoproject.com"),
    ("access-", rf"access-(?:sandbox|development|production)-(?P<secret>{_UUID})", "https://plaid.com/docs/api/"),
    ("aio_", r"aio_[A-Za-z0-9]{28}(?![A-Za-z0-9])", _GITLEAKS),
    ("pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}", "https://airtable.com/developers/web/guides/personal-access-tokens"),
    ("1/ 2/", r"[12]/[0-9]{15,16}(?:/[0-9]{15,16})?:[0-9a-f]{32}", "https://developers.asana.com/docs"),
)  # fmt: skip
# Where they begin: not inside of base64 or a path, either.
_INNER = EDGE.replace(".-", "./+=-")
# Beginnings of a few letters, which also occur inside of other words, paths and base64: the rest must be exact.
_VAGUE: tuple[tuple[str, str] | tuple[str, str, str], ...] = (
    (
        "gsk_ r8_ csk- fw_ pplx- xai- fal_",
        r"(?:gsk_|r8_|csk-|fw_|pplx-|xai-|fal_)(?=[A-Za-z]{0,60}[0-9])[A-Za-z0-9]{24,}",
    ),
    ("secret_", r"secret_[A-Za-z0-9]{43}", "https://developers.notion.com/reference/authentication"),
    ("pa-", r"pa-(?=[\w-]{0,42}[0-9])(?=[\w-]{0,42}[A-Z])[\w-]{43}(?![\w-])", "https://docs.voyageai.com"),
    ("sl.", r"sl\.(?:u\.)?[\w-]{120,}", "https://www.dropbox.com/developers/documentation/http/overview"),
    ("EAA", r"EAA(?:A[\w-]{60}|[A-Z][A-Za-z0-9]{80,})(?![\w-])", "https://developers.facebook.com/docs/facebook-login"),
    ("dG9rO", r"dG9rO[A-Za-z0-9+/]{50,60}=(?![\w=])", "https://developers.intercom.com"),
    ("cio", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])", "https://crates.io"),
    ("oy2", r"oy2[a-z0-9]{43}(?![A-Za-z0-9])", "https://learn.microsoft.com/nuget/nuget-org/publish-a-package"),
    ("4b1d", r"4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])", _GITLEAKS),
    ("API-", r"API-(?=[A-Z]{0,25}[0-9])[A-Z0-9]{25,34}(?![\w-])", "https://octopus.com/docs/octopus-rest-api"),
    ("api-", rf"api-{_UUID}", "https://launchdarkly.com/docs/home/account/api"),
    ("sk.eyJ", r"sk\.eyJ[\w-]{40,}\.[\w-]{20,}", "https://docs.mapbox.com/api/accounts/tokens/"),
    ("AQVN t1.9eu", r"(?:AQVN[\w-]{35,38}|t1\.9eu[\w-]{20,}={0,2}\.[\w-]{60,}={0,2})(?![\w-])", "https://yandex.cloud"),
    ("1000.", r"1000\.[0-9a-f]{32}\.[0-9a-f]{32}", "https://www.zoho.com/accounts/protocol/oauth.html"),
)  # fmt: skip
# What stands inside of these: they are found by a word that isn't at their beginning.
_INSIDE: tuple[tuple[str, str, str], ...] = (
    (":aa", START + r"[0-9]{8,10}:AA[\w-]{33}", "https://core.telegram.org/bots/api#authorizing-your-bot"),
    (".atlasv1.", _INNER + r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}", "https://developer.hashicorp.com/terraform"),
    ("8q~ 7q~", _INNER + r"\w{3}[78]Q~[\w.~-]{31,34}(?![\w~-])", "https://learn.microsoft.com/entra"),
    ("-us", _INNER + r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9-])", "https://mailchimp.com/developer"),
    (
        ".",
        r"[MNO](?:(?<![\w./+=-][MNO])|(?<=\\[bfnrt][MNO]))(?=[\w-]{0,25}[0-9])[\w-]{23,27}\.[\w-]{6}\.(?=[\w-]{0,30}[A-Z])[\w-]{27,45}(?![\w-])",
        "https://docs.discord.com/developers/reference",
    ),
    (
        "okta ssws",
        r"(?:(?i:okta)[^\n]{0,80}?|SSWS\s{1,4})(?<![\w-])(?P<secret>00(?=[\w-]{0,38}[A-Z])[\w-]{38,42})(?![\w-])",
        "https://developer.okta.com/docs/guides/create-an-api-token/main/",
    ),
)  # fmt: skip
# What may stand before an option: other words of the command, which ends with its line.
_BLANK = r"(?>(?:[ \t]|(?<=\\)\n|(?<=\\)\\n){1,8})"
_WORDS = rf"(?:{_BLANK}(?>(?:[^\s\\]++|\\(?!n))+)){{0,60}}?{_BLANK}"
_WORD = r"(?P<secret>(?![-$<{*%\[])[^\s\"'\\|;&<>`]{4,200}+)"
# Words of which a text must have one, programs, the option before a password, and its page.
_OPTIONS: tuple[tuple[str, str, str, str], ...] = (
    (
        "curl",
        "curl",
        rf"(?:-u|-U|--user|--proxy-user)[=\s]{{0,2}}{OPEN}[^\s:\"'\\]{{1,100}}:{_WORD}",
        "https://curl.se/docs/manpage.html#-u",
    ),
    (
        "docker login, podman login, nerdctl login, buildah login, skopeo login, registry login, az login, oc login",
        r"(?:docker|podman|nerdctl|buildah|skopeo|registry|az|oc) login",
        rf"(?:-p|--password)[=\s]{{1,2}}{OPEN}{_WORD}",
        "https://docs.docker.com/reference/cli/docker/login/",
    ),
    (
        "mysql, mariadb",
        r"(?:mysql|mariadb)(?:dump|admin|import|show|check|-dump|-admin)?",
        rf"-p{OPEN}{_WORD}",
        "https://dev.mysql.com/doc/refman/en/password-security-user.html",
    ),
    ("redis-cli", "redis-cli", rf"(?:-a|--pass)\s{OPEN}{_WORD}", "https://redis.io/docs/latest/develop/tools/cli/"),
    ("mongo", r"mongo(?:sh|dump|restore|import|export)?", rf"(?:-p|--password)[=\s]{OPEN}{_WORD}", "https://www.mongodb.com/docs/"),
    ("sshpass", "sshpass", rf"-p\s{{0,2}}{OPEN}{_WORD}", "https://linux.die.net/man/1/sshpass"),
    ("sqlcmd, osql, bcp", "sqlcmd|osql|bcp", rf"-P\s{{0,2}}{OPEN}{_WORD}", "https://learn.microsoft.com/sql/tools/sqlcmd/"),
    ("htpasswd", "htpasswd", rf"-[a-zA-Z]{{0,6}}b[a-zA-Z]{{0,6}}\s\S{{1,100}}\s\S{{1,100}}\s{OPEN}{_WORD}", "https://httpd.apache.org/docs/current/programs/htpasswd.html"),
    ("smbclient", "smbclient", rf"(?:-U|--user)[=\s]{{1,2}}{OPEN}[^\s%\"'\\]{{1,100}}%{_WORD}", "https://www.samba.org/samba/docs/current/man-html/smbclient.1.html"),
    ("net use", "net use", rf"(?:\*|/user:[^\s\"']{{1,100}})\s{{1,4}}{OPEN}(?!/){_WORD}", "https://learn.microsoft.com/windows-server/administration/windows-commands/net-use"),
    ("ldap", "ldap(?:search|modify|add|delete|whoami|passwd)", rf"-w\s{{0,2}}{OPEN}{_WORD}", "https://www.openldap.org/software/man.cgi?query=ldapsearch"),
    ("unzip, zip", "unzip|zip", rf"-P\s{OPEN}{_WORD}", "https://linux.die.net/man/1/zip"),
)  # fmt: skip
_VALUE = rf"(?P<secret>{LITERAL}{DIGIT}[^\s\"'\\,;&<>(){{}}\[\]$`]{{8,}}(?<!\.))"
_SEP = r"(?:\\{0,8}/|\\{1,8}|%2[Ff]|%5[Cc])"
# Folders that are shared, and accounts that images and services of build machines come with.
_NOBODY = (
    r"(?!(?:Shared|Public|Default|All Users|Administrator|ContainerAdministrator|app|appuser|azureuser|centos|circleci|"
    r"codespace|coder|container|debian|docker|ec2-user|gitpod|jenkins|jovyan|linuxbrew|node|nonroot|runner|runneradmin|"
    r"sandbox|travis|ubuntu|user|username|Username|vagrant|vscode|vsts|work|worker|workspace)(?![\w.-]))"
)
_NAME = r"\w(?:[\w.@+$-]{0,63}[\w$])?"
_BODY = r"[^-]*+(?>(?:-{1,4}(?!-)[^-]*+)*)"
_BASE64_LINES = r"(?>(?:[A-Za-z0-9+/=]{16,}+|\s|\\{1,8}[nr])*)"

# What a value may look like that is secret for its name alone: not a type, a variable, a mask or prose.
_SECRET = re.compile(r"(?![$<{%*])(?!(.)\1*$)\S{4,}")
_NO_SECRETS = re.compile(
    r"(?i)string|str|text|varchar|none|null|nil|undefined|true|false|required|optional|hidden|invalid|missing|incorrect|"
    r"(?:your|my|the|enter|new|old|current|db|user|confirm|forgot|reset)?[ _-]?(?:pass[a-z]*|passwor[td]|secret|token|"
    r"(?:api[_-]?)?key)(?:[_-]?here)?"
)
_NO_WORDS = re.compile(r"(?=[^a-zA-Z]*[a-zA-Z])(?=[^0-9]*[0-9]).*?[A-Za-z0-9]{12}", re.DOTALL)


def _rule(edge: str, anchors: str, shape: str, about: str = _GITHUB) -> Rule:
    return Rule("key", tuple(anchors.split()), re.compile(edge + shape), about, leading=True)


_SERVICES: tuple[Rule, ...] = (
    *(_rule(START, *row) for row in _CLEAR),
    *(_rule(_INNER, *row) for row in _VAGUE),
    *(Rule("key", tuple(words.split()), re.compile(shape), about) for words, shape, about in _INSIDE),
)
"""The forms of keys and tokens."""


def _command(anchors: str, programs: str, option: str, about: str) -> Rule:
    return said("password", anchors, rf"{EDGE}(?i:{programs})(?:\.exe)?{_WORDS}{option}", about)


_COMMANDS: tuple[Rule, ...] = (
    *(_command(*row) for row in _OPTIONS),
    said(
        "token",
        "curl",
        rf"{EDGE}curl{_WORDS}(?:-b|--cookie)[=\s]{{0,2}}{OPEN}(?P<secret>[\w.-]{{1,100}}=[^\n\"'\\]{{4,400}}+)",
        "https://curl.se/docs/manpage.html#-b",
        each=COOKIES,
    ),
    said(
        "password",
        "-password, -passwd, -pass, -token, -secret, -api-key, -apikey, -access-key, -storepass, -keypass",
        r"(?<![\w-])--?(?:[a-z]{1,20}-){0,3}(?:password|passwd|pass|passphrase|token|secret|api-?key|access-key|storepass|keypass)"
        rf"[=\s]{{1,4}}{OPEN}(?P<secret>(?![-/.]|[0-9]{{1,9}}(?!\w)){LITERAL}{DIGIT}[^\s\"'\\|;&<>()`,]{{6,}})",
        HARD_CODED,
        leading=False,
    ),
    said(
        "password",
        "pass:",
        rf"(?<=[\s=\"'])pass:{_WORD}",
        "https://docs.openssl.org/master/man1/openssl-passphrase-options/",
    ),
    said(
        "password",
        "echo, printf",
        rf"{EDGE}(?:echo|printf)\s(?:-n\s)?{OPEN}{_WORD}{OPEN}\s{{0,2}}\|\s{{0,2}}"
        r"(?:sudo\s(?:-\w{1,8}\s){0,3}?-\w{0,4}S|[^\n|]{0,200}?--password-stdin|gh auth login --with-token)",
        "https://www.sudo.ws/docs/man/sudo.man/#S",
    ),
    said(
        "password",
        "machine, default",
        rf"{EDGE}(?:machine{GAP}{{1,4}}[^\s\\]{{1,200}}|default){GAP}{{1,8}}login{GAP}{{1,4}}[^\s\\]{{1,200}}{GAP}{{1,8}}"
        rf"password{GAP}{{1,4}}{DIGIT}{_WORD}",
        "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html",
    ),
)
"""Secrets in commands."""


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
        r"(?>(?:(?:\s|\\{1,8}[nr]){1,4}[A-Za-z0-9+/=]++(?![-:\w]))*))",
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
    *_SERVICES,
    *_NAMED,
    *_COMMANDS,
    # Personal data.
    Rule(
        "email",
        ("@", "%40"),
        re.compile(
            r"(?<![\w.+-])(?>(?:(?<=\\)(?:u[0-9A-Fa-f]{4}|[bfnrt])|(?<=%)[0-9A-Fa-f]{2})?)(?P<secret>(?!git(?:@|%40))[\w.+-]++(?:@|%40)"
            r"(?!\d{1,5}\.\d{1,5}(?![\w-]*\.[^\W\d]))[\w-]++(?>(?:\.[\w-]++)+)(?<=[^\W\d_]{2}))"
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
