"""What several tests share: example histories, toy codecs, documents to damage."""
