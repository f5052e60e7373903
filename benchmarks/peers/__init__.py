"""The peers, one module each, which imports its library: so a missing one can be reported and left out."""
