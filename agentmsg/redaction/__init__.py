"""Redaction: secrets and personal data in a history, replaced by placeholders, and the report that brings them back.

| module | what |
| --- | --- |
| ``patterns`` | the table of what is found: a kind, a pattern, and who documents its shape |
| ``texts`` | which texts hold something, and what they become |
| ``leaves`` | every text of a history, and the history with some of them changed |
| ``redacting`` | ``agentmsg.redact`` |

May import ``fitting`` and what lies below it.
"""
