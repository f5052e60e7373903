"""Redaction: remove keys, tokens, passwords, mail addresses and home paths; the loss report restores them.

| module | what |
| --- | --- |
| ``rule`` | what a shape of a secret is, and the words that shapes are written in |
| ``tokens`` | keys and tokens of services, one row each |
| ``commands`` | secrets in commands, one row each |
| ``patterns`` | all shapes: also of named values and personal data, one row each |
| ``leaves`` | every text of a history: read it, or replace it |
| ``finding`` | find the secrets in texts, and choose their placeholders |
| ``redactor`` | ``Redactor``, ``Redaction`` and ``redact`` |

May import ``fitting`` and what lies below it.
"""
