"""replanctl: rehearse how plan-and-execute agents replan."""

__version__ = "0.1.0"
