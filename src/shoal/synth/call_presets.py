"""Whom `calls` imitates: people like those of PRIMULE's data, or people whom nobody can mistake.

PRIMULE §6 prints 85 million records of 3 million people in four weeks (28 each) over 139 municipalities, and commuters
for 3 % of the people; and that most profiles are nearly empty (its Figs. 5 and 6). What is not printed is chosen such
that profiles are as easy to hide as it prints.
"""

from dataclasses import dataclass

from shoal.errors import ParameterError, did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsPreset:
    """How people call and travel.

    Parameters
    ----------
    name
        As on the command line.
    calls_per_slot
        Calls of somebody of median activity in the night, by day and in the evening of one day.
    activity_sigma, activity_least
        Activity is log-normal with this standard deviation of its logarithm, and not below that share of its median.
    people_each, municipalities
        A municipality for so many people, up to so many.
    outsiders
        Share of people who live outside the region.
    dynamic
        Share of the region's people who work outside their municipality.
    commuters
        Share of those who work inside the region.
    local_visits, outsider_visits
        Stays of one to three days elsewhere, for each person on average.
    local_passes, outsider_passes
        Single calls on the way, likewise.
    share_of
        Wanted share of profiles by class.
    """

    name: str
    calls_per_slot: tuple[float, float, float]
    activity_sigma: float
    activity_least: float
    people_each: int
    municipalities: int
    outsiders: float = 0.1
    dynamic: float = 0.35
    commuters: float = 1.0
    local_visits: float = 0.0
    outsider_visits: float = 0.0
    local_passes: float = 0.0
    outsider_passes: float = 0.0
    share_of: tuple[float, float, float, float, float] | None = None


EASY = CallsPreset(
    name="easy",
    calls_per_slot=(0.8, 3.0, 2.0),
    activity_sigma=0.4,
    activity_least=0.4,
    people_each=150,
    municipalities=80,
)
"""Even activity, many calls, whole weeks and weekends of visits: a Sociometer is hardly ever wrong."""

TUSCANY = CallsPreset(
    name="tuscany",
    calls_per_slot=(0.05, 0.32, 0.21),
    activity_sigma=1.4,
    activity_least=0.0,
    people_each=2_500,
    municipalities=139,
    outsiders=0.37,
    dynamic=0.27,
    commuters=0.38,
    local_visits=0.45,
    outsider_visits=0.75,
    local_passes=0.47,
    outsider_passes=0.95,
    share_of=(0.22, 0.08, 0.03, 0.27, 0.40),
)

CALLS_PRESETS = {preset.name: preset for preset in (TUSCANY, EASY)}


def find_calls_preset(preset: str | CallsPreset) -> CallsPreset:
    """Return the preset of that name, or a preset of the caller's own unchanged."""
    if isinstance(preset, CallsPreset):
        return preset
    if preset not in CALLS_PRESETS:
        raise ParameterError(
            f"preset={preset!r}",
            expected="one of " + ", ".join(CALLS_PRESETS),
            hint=did_you_mean(preset, CALLS_PRESETS),
        )
    return CALLS_PRESETS[preset]
