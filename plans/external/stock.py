"""Tools for stock.yaml: Python functions. What one returns is its step's result, what it raises is its step's failure.

A `TimeoutError` or a `ConnectionError` is retried, a `PermissionError` goes to a person, anything else is replanned.
"""

SHELVES = {"M4 nut": 900}
SUPPLIERS = {"M4 bolt": 0.02, "M4 nut": 0.01}


def stock(part):
    """How many pieces there are."""
    if part not in SHELVES:
        raise LookupError(f"no shelf for {part}")
    return {"part": part, "pieces": SHELVES[part]}


def supplier(part):
    """What a piece would cost."""
    return {"part": part, "pieces": 0, "price": SUPPLIERS[part]}


def order(bolts, nuts):
    """Send the order. Nothing may send it twice: the plan says that this tool is not idempotent."""
    print(f"ordering {bolts}, {nuts} on the shelf")  # goes to standard error: standard output is the result's
    return {"number": 4711}


TOOLS = {"stock": stock, "supplier": supplier, "order": order}
