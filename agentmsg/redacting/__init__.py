"""Redaction: keys, tokens, passwords, mail addresses and home paths out of a history, and back by its loss report.

| module | what |
| --- | --- |
| ``patterns`` | the shapes of secrets, one row each |
| ``leaves`` | every text of a history: to look at it, or to put another in its place |
| ``finding`` | which parts of some texts are secrets, and what stands in their place |
| ``redactor`` | ``Redactor``, ``Redaction`` and ``redact`` |

May import ``fitting`` and what lies below it.
"""
