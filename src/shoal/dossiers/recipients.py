"""Who gets the data, and what they can set beside them."""

from dataclasses import dataclass
from typing import Any

from shoal.errors import ParameterError, did_you_mean, given


@dataclass(frozen=True, slots=True)
class Recipient:
    """Somebody who gets a release.

    Attributes
    ----------
    name
        As on the command line.
    who
        One sentence.
    means
        What they can combine with the release, and how they could go about it.
    limits
        What holds them back. None of it is in the data.
    """

    name: str
    who: str
    means: tuple[str, ...]
    limits: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "who": self.who, "means": list(self.means), "limits": list(self.limits)}


_INTRUDER = (
    "A motivated intruder, as the ICO describes one: reasonably competent, with the internet, libraries and public "
    "documents at hand, who asks around; without special knowledge, and without breaking the law."
)

RECIPIENTS = {
    recipient.name: recipient
    for recipient in (
        Recipient(
            "public",
            "Anybody, without an agreement, for as long as copies exist.",
            (
                _INTRUDER,
                "Whatever is or will be public: social networks, photographs, the press, registers, other releases.",
                "What relatives, neighbours, colleagues and employers know of a person: some places, a whole day.",
                "All the time and computing power that somebody cares to spend, and other people's findings.",
            ),
            ("None. What was published cannot be called back.",),
        ),
        Recipient(
            "partner",
            "A named organization under an agreement.",
            (
                _INTRUDER,
                "The organization's own data about some of the same people: customers, staff, devices, tickets, bills.",
                "Staff who know some of the people, and skills and machines beyond those of the public.",
            ),
            (
                "The agreement: purposes, no attempt to identify anybody, no passing on, deletion, audit.",
                "It holds honest people back. It stops no leak.",
            ),
        ),
        Recipient(
            "enclave",
            "Approved users in a controlled environment; results are checked before they leave it.",
            (
                "What approved users know themselves, and data that they are allowed to bring in.",
                "Every row of the release, for as long as access lasts.",
                "What can be carried out in the head, or in results that pass the check.",
            ),
            (
                "Approval of users and projects, no copies, logs, the check of results.",
                "It depends on how the environment is run. Name who answers for that.",
            ),
        ),
    )
}


def find(name: str) -> Recipient:
    try:
        return RECIPIENTS[name]
    except KeyError:
        raise ParameterError(
            given("recipient", name), expected="a known recipient", hint=did_you_mean(name, RECIPIENTS)
        ) from None
