"""What a failure is: from an error's type, an HTTP status or an exception's class; else `error`. Texts say nothing.

`--classify` rules speak for answers that say in words, or in a field, that they failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from replanctl.files import ClassRule
from replanctl.kinds import Status
from replanctl.plan import follow
from replanctl.traces.content import text_of
from replanctl.traces.trace import RecordedCall

# The last word of an error's type or an exception's class, in small letters, without error or exception at its end.
# A class decides between a retry, a replan and a person, so it is taken from fields alone, which somebody chose. A text
# that says `timeout` may be a search result about timeouts. What no table knows is `error`, which is never retried and
# routed by how much rests on it.
_BY_NAME: dict[str, Status] = {
    **dict.fromkeys(
        ("timeout", "timedout", "readtimeout", "connecttimeout", "writetimeout", "pooltimeout", "apitimeout",
         "requesttimeout", "gatewaytimeout", "deadlineexceeded", "sockettimeout", "toolcalltimeout", "tooltimeout",
         "timeouterr", "etimedout", "cancelled"),
        Status.TIMEOUT,
    ),
    **dict.fromkeys(
        ("ratelimit", "ratelimited", "ratelimiterr", "ratelimitexceeded", "toomanyrequests", "throttling",
         "throttled", "resourceexhausted", "quotaexceeded", "overloaded", "slowdown"),
        Status.RATE_LIMITED,
    ),
    **dict.fromkeys(
        ("unavailable", "serviceunavailable", "connectionrefused", "econnrefused", "badgateway", "apiconnection",
         "endpointconnection", "connect", "maintenance"),
        Status.UNAVAILABLE,
    ),
    **dict.fromkeys(
        ("connection", "connectionreset", "connectionaborted", "brokenpipe", "remotedisconnected", "network",
         "internalserver", "internal", "apistatus", "remoteprotocol", "incompleteread", "econnreset", "ssl",
         "servererror", "server"),
        Status.TOOL_ERROR,
    ),
    **dict.fromkeys(
        ("permission", "permissiondenied", "forbidden", "unauthorized", "unauthenticated", "accessdenied",
         "authentication", "authorization", "notauthorized", "eacces"),
        Status.DENIED,
    ),
}  # fmt: skip
_BY_CODE: dict[int, Status] = {
    # 500 comes from the tool itself, which may have done something by then; 502 and 503 from what stands in front of
    # it, and 504 waited in vain. 425 asks for the same once more later; 529 is an overloaded model API.
    401: Status.DENIED,
    403: Status.DENIED,
    407: Status.DENIED,
    408: Status.TIMEOUT,
    425: Status.UNAVAILABLE,
    429: Status.RATE_LIMITED,
    500: Status.TOOL_ERROR,
    502: Status.UNAVAILABLE,
    503: Status.UNAVAILABLE,
    504: Status.TIMEOUT,
    529: Status.RATE_LIMITED,
}
_ENDING = re.compile(r"(?:error|exception|fault)\Z")


def status_of(*says: Any) -> Status:
    """The status of a failed call, from what its fields say: types, classes, codes. The first that is known decides."""
    for said in says:
        found = _status(said)
        if found is not None:
            return found
    return Status.ERROR


def _status(said: Any) -> Status | None:
    if isinstance(said, bool) or said is None:
        return None
    if isinstance(said, int | float):
        return _BY_CODE.get(int(said)) if said - said == 0 else None
    text = str(said).strip()
    if text.isascii() and text.isdigit():
        return _BY_CODE.get(int(text)) if len(text) == 3 else None
    # No class is called that: this is a message that was put into the wrong field.
    if len(text) > 100:
        return None
    # `openai.RateLimitError`, `urn:error:RateLimit`: the last part is the class, what stands before it is where it
    # lives.
    last = re.split(r"[.:/#]", text)[-1]
    word = re.sub(r"[^a-z]", "", last.lower())
    return _BY_NAME.get(_ENDING.sub("", word)) or _BY_NAME.get(word)


class Classifier:
    """Applies a user's rules to calls; the first rule that matches decides."""

    def __init__(self, rules: tuple[ClassRule, ...] = ()) -> None:
        self._rules = rules

    def classify(self, calls: Iterable[RecordedCall]) -> None:
        """Give each call that a rule matches the status of the rule."""
        for call in calls if self._rules else ():
            # A user's rule may also turn a failure into `ok`, so all calls are looked at and not only those that
            # failed.
            rule = next((rule for rule in self._rules if _matches(rule, call)), None)
            if rule is not None:
                call.status = Status(rule.status)
                call.message = "" if call.status is Status.OK else call.message or text_of(call.result)


def _matches(rule: ClassRule, call: RecordedCall) -> bool:
    if rule.tool is not None and rule.tool != call.tool:
        return False
    if rule.text is not None and rule.text.casefold() not in text_of(_said(call)).casefold():
        return False
    if rule.path is None:
        return True
    try:
        found = follow(_said(call), rule.path)
    except LookupError:
        return False
    return not rule.has_equals or (isinstance(found, bool) == isinstance(rule.equals, bool) and found == rule.equals)


def _said(call: RecordedCall) -> Any:
    return call.message if call.message and not isinstance(call.result, dict | list) else call.result
