"""For each law deliberate bugs that it must catch."""

from __future__ import annotations

from typing import Any

from tests.properties.bend import Bend
from tests.properties.mutants.accounts import ACCOUNTS
from tests.properties.mutants.attempts import ATTEMPTS
from tests.properties.mutants.budgets import BUDGETS
from tests.properties.mutants.contracts import CONTRACTS
from tests.properties.mutants.drafts import DRAFTS
from tests.properties.mutants.effects import EFFECTS
from tests.properties.mutants.health import HEALTH
from tests.properties.mutants.lessons import LESSONS
from tests.properties.mutants.order import ORDER
from tests.properties.mutants.plans import PLANS
from tests.properties.mutants.results import RESULTS
from tests.properties.mutants.routes import ROUTES
from tests.properties.mutants.standing import STANDING
from tests.properties.mutants.templates import TEMPLATES
from tests.properties.mutants.warnings import WARNINGS

MUTANTS: dict[Any, tuple[Bend, ...]] = {
    **BUDGETS,
    **PLANS,
    **DRAFTS,
    **TEMPLATES,
    **LESSONS,
    **ORDER,
    **ATTEMPTS,
    **CONTRACTS,
    **HEALTH,
    **ROUTES,
    **ACCOUNTS,
    **WARNINGS,
    **RESULTS,
    **EFFECTS,
    **STANDING,
}
