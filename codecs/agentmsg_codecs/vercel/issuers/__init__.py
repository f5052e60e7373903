"""Issuers: the parts in which the SDK's clients keep the answers of each provider, and send them back.

Learnt from ai 7.0.173. In messages for users the same values stand under ``providerMetadata``,
``callProviderMetadata`` and ``resultProviderMetadata``.
"""
