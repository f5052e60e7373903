"""Redaction: remove keys, tokens, passwords, mail addresses and home paths; the loss report restores them.

| module | what |
| --- | --- |
| ``patterns`` | the shapes of secrets, one row each |
| ``leaves`` | every text of a history: read it, or replace it |
| ``finding`` | find the secrets in texts, and choose their placeholders |
| ``redactor`` | ``Redactor``, ``Redaction`` and ``redact`` |

May import ``fitting`` and what lies below it.
"""
