"""Words that the formats of several families share. Codecs import them; they import the core only."""
