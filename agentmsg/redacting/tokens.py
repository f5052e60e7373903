r"""Keys and tokens of services that are recognised by their own form: one row each.

A row has the words that such tokens begin with, their form, and the public page that describes them, if it isn't one of
the two lists at the top. The longer the beginning, the less the rest has to say.

No library on PyPI fits. Of 138 made-up tokens in these forms and 102 secrets in commands and settings, betterleaks-py
2.0 and kingfisher-secret-scanner 1.5 (engines in Go and Rust of 29 and 17 MB) miss 60 and 58, and 59 and 92; the second
takes five seconds to start. detect-secrets (no release since 2024) needs requests, PyYAML, and 30 s for a megabyte.
Rules of gitleaks are for engines that never backtrack: most begin with a repetition, for which Python needs quadratic
time. CredSweeper brings a neural network, presidio a language model, scrubadub scikit-learn.
"""

from __future__ import annotations

import re

from agentmsg.redacting.rule import EDGE, START, Rule

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


def _rule(edge: str, anchors: str, shape: str, about: str = _GITHUB) -> Rule:
    return Rule("key", tuple(anchors.split()), re.compile(edge + shape), about, leading=True)


TOKENS: tuple[Rule, ...] = (
    *(_rule(START, *row) for row in _CLEAR),
    *(_rule(_INNER, *row) for row in _VAGUE),
    *(Rule("key", tuple(words.split()), re.compile(shape), about) for words, shape, about in _INSIDE),
)
"""The forms of keys and tokens."""
