"""What must hold of every session: small functions that say what is wrong with a run, each with a mutant that it
catches."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.properties.laws.accounts import ACCOUNTS
from tests.properties.laws.attempts import ATTEMPTS
from tests.properties.laws.budgets import BUDGETS
from tests.properties.laws.contracts import CONTRACTS
from tests.properties.laws.drafts import DRAFTS
from tests.properties.laws.effects import EFFECTS
from tests.properties.laws.health import HEALTH
from tests.properties.laws.lessons import LESSONS
from tests.properties.laws.order import ORDER
from tests.properties.laws.plans import PLANS
from tests.properties.laws.results import RESULTS
from tests.properties.laws.routes import ROUTES
from tests.properties.laws.standing import STANDING
from tests.properties.laws.templates import TEMPLATES
from tests.properties.laws.warnings import WARNINGS
from tests.properties.run import Run

Law = Callable[[Run], Iterator[str]]

LAWS: tuple[Law, ...] = (
    *BUDGETS, *PLANS, *DRAFTS, *TEMPLATES, *ORDER, *ATTEMPTS, *CONTRACTS, *HEALTH, *ROUTES, *LESSONS,
    *ACCOUNTS, *WARNINGS, *RESULTS, *EFFECTS, *STANDING,
)  # fmt: skip
