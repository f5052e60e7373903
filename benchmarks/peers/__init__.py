"""The peers, a module each, which imports its library: so a missing one can be told and left out."""
