"""Redaction: remove keys, tokens, passwords, mail addresses and home paths; the loss report restores them.

| module | what |
| --- | --- |
| ``rule`` | what a shape of a secret is, and the words that shapes are written in |
| ``patterns`` | all shapes, one row each: tokens of services, secrets in commands, named values, personal data |
| ``leaves`` | every text of a history: read it, or replace it |
| ``redactor`` | ``Redactor``, ``Redaction`` and ``redact``: find the secrets in texts, and choose their placeholders |

May import ``fitting`` and what lies below it.
"""
