"""A planner as a command: the request comes as JSON on standard input, the steps from here on go to standard output.

    replanctl run plans/vendors.yaml --planner "python3 plans/planner.py"

This is where a model would be asked: `request["prompt"]` is all it needs to know, in at most thirty lines. Here a rule
stands in for it: the failed step's first alternative, and the other steps that were to be replaced as they are.
"""

import json
import sys


def plan(request):
    """The steps from here on; an empty list gives up."""
    failed, *rest = request["remaining"]
    if not failed.get("alternatives"):
        return []
    way, *others = failed["alternatives"]
    said = {key: value for key, value in way.items() if value is not None}
    return [{**failed, **said, "alternatives": others}, *rest]


json.dump(plan(json.load(sys.stdin)), sys.stdout)
