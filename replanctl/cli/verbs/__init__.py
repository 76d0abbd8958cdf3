"""The verbs, one module each: a Struct of options, what is done with them, and `VERB` that names both.

What each is for is said here, so that help and completion can say it without importing a verb.
"""

from __future__ import annotations

# In the order in which help lists them.
HELP = {
    "run": "Rehearse a plan.",
    "diff": "Compare two plan versions, or plan files.",
    "cost": "Work out what a failure would cost.",
    "validate": "Check plan files and list everything that is wrong.",
    "show": "Show a stored run, whole or in parts.",
    "runs": "List the stored runs.",
    "prompt": "Show what a model would be asked for a replan.",
    "why": "Tell what became of a step, and why.",
    "resume": "Go on with a run from where it stopped.",
    "replay": "Run a stored run once more and compare.",
    "test": "Run rehearsals that say what they expect.",
    "import": "Make rehearsals of recorded runs.",
    "matrix": "Run every step under every failure, and say where there is no way out.",
    "tune": "Say what each limit costs, and which would let finish what would finish.",
    "compare": "Run the same scripts under several policies, and say what got better or worse.",
    "merge": "Merge the shards of a sweep into its table.",
    "stats": "Say how often each rule and gate decided in the stored runs.",
    "report": "Make one page of HTML of a run, a rehearsal, or what the lab wrote.",
    "coupling": "Test what each step's failure would take with it.",
    "graph": "Draw what rests on what.",
    "schema": "Print the JSON Schema of a file or a result.",
    "explain": "Say what a rule, gate, status, key or any other word means.",
    "init": "Write an example plan with outcomes to begin with.",
}
