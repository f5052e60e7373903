"""Secrets that people type: options of commands, pipes, and the file that curl and ftp read them from."""

from __future__ import annotations

from agentmsg.redacting.rule import COOKIES, DIGIT, EDGE, GAP, HARD_CODED, LITERAL, OPEN, Rule, said

# What may stand before an option: other words of the command, which ends with its line.
_BLANK = r"(?:[ \t]|(?<=\\)\n|(?<=\\)\\n){1,8}+"
_WORDS = rf"(?:{_BLANK}(?:[^\s\\]++|\\(?!n))++){{0,60}}?{_BLANK}"
_WORD = r"(?P<secret>(?![-$<{*%\[])[^\s\"'\\|;&<>`]{4,200}+)"
# The kind, words of which a text must have one, programs, the option before the value, and its page.
_OPTIONS: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "password",
        "curl",
        "curl",
        rf"(?:-u|-U|--user|--proxy-user)[=\s]{{0,2}}{OPEN}[^\s:\"'\\]{{1,100}}:{_WORD}",
        "https://curl.se/docs/manpage.html#-u",
    ),
    (
        "password",
        "docker login, podman login, nerdctl login, buildah login, skopeo login, registry login, az login, oc login",
        r"(?:docker|podman|nerdctl|buildah|skopeo|registry|az|oc) login",
        rf"(?:-p|--password)[=\s]{{1,2}}{OPEN}{_WORD}",
        "https://docs.docker.com/reference/cli/docker/login/",
    ),
    (
        "password",
        "mysql, mariadb",
        r"(?:mysql|mariadb)(?:dump|admin|import|show|check|-dump|-admin)?",
        rf"-p{OPEN}{_WORD}",
        "https://dev.mysql.com/doc/refman/en/password-security-user.html",
    ),
    ("password", "redis-cli", "redis-cli", rf"(?:-a|--pass)\s{OPEN}{_WORD}", "https://redis.io/docs/latest/develop/tools/cli/"),
    ("password", "mongo", r"mongo(?:sh|dump|restore|import|export)?", rf"(?:-p|--password)[=\s]{OPEN}{_WORD}", "https://www.mongodb.com/docs/"),
    ("password", "sshpass", "sshpass", rf"-p\s{{0,2}}{OPEN}{_WORD}", "https://linux.die.net/man/1/sshpass"),
    ("password", "sqlcmd, osql, bcp", "sqlcmd|osql|bcp", rf"-P\s{{0,2}}{OPEN}{_WORD}", "https://learn.microsoft.com/sql/tools/sqlcmd/"),
    ("password", "htpasswd", "htpasswd", rf"-[a-zA-Z]{{0,6}}b[a-zA-Z]{{0,6}}\s\S{{1,100}}\s\S{{1,100}}\s{OPEN}{_WORD}", "https://httpd.apache.org/docs/current/programs/htpasswd.html"),
    ("password", "smbclient", "smbclient", rf"(?:-U|--user)[=\s]{{1,2}}{OPEN}[^\s%\"'\\]{{1,100}}%{_WORD}", "https://www.samba.org/samba/docs/current/man-html/smbclient.1.html"),
    ("password", "net use", "net use", rf"(?:\*|/user:[^\s\"']{{1,100}})\s{{1,4}}{OPEN}(?!/){_WORD}", "https://learn.microsoft.com/windows-server/administration/windows-commands/net-use"),
    ("password", "ldap", "ldap(?:search|modify|add|delete|whoami|passwd)", rf"-w\s{{0,2}}{OPEN}{_WORD}", "https://www.openldap.org/software/man.cgi?query=ldapsearch"),
    ("password", "unzip, zip", "unzip|zip", rf"-P\s{OPEN}{_WORD}", "https://linux.die.net/man/1/zip"),
)  # fmt: skip


def _command(kind: str, anchors: str, programs: str, option: str, about: str) -> Rule:
    return said(kind, anchors, rf"{EDGE}(?i:{programs})(?:\.exe)?{_WORDS}{option}", about)


COMMANDS: tuple[Rule, ...] = (
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
