"""What the model says where the contract leaves a thing open."""

from __future__ import annotations


class Ambiguous(Exception):  # noqa: N818 - it is no error
    """The contract can be read in two ways here; the seed is left out."""
