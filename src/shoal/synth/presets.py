"""The data sets of the papers, as printed there, and the levers of the generator that imitate them.

Sources: GLOVE §3, Table 2 and §7.3 (samples, radius of gyration), kte Table I (antennas, surface, users).
kte counts events, GLOVE what is left of them on the 100 m, 1 min grid; `samples_per_user` is the latter.
"""

from dataclasses import dataclass

from shoal.errors import ParameterError, did_you_mean

USUAL_PLACES = 7.0
"""Places per person that the generator is tuned for; presets with more of them roam farther, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A country or a city with its people and its mobile network.

    ``dataclasses.replace(PRESETS["civ"], places_per_user=50)`` makes a variant.

    Parameters
    ----------
    name
        As on the command line.
    users, other_users
        Number of people in the paper; further numbers where papers disagree.
    days, samples_per_user
        Samples of a person on the 100 m, 1 min grid in that many days, on average.
    antennas, area_km2
        Of the network and of the country or city.
    rog_median_km, rog_mean_km
        Radius of gyration; None where no paper prints it.
    lat, lng, utc_offset_h
        Where on the globe, and its clock.
    min_per_day
        Everybody has at least this many samples per day on average, as the paper screened its data.
    samples_sigma
        Standard deviation of the logarithm of the samples per person: how heavy the tail is.
    capital_share
        Share of people and antennas in the largest town.
    towns, rural_share
        Number of towns, and share of antennas outside them (one to a village).
    town_spread_km
        Standard distance of a lone antenna from its town's centre; grows with their number.
    places_per_user
        Antennas a person is seen at, on average.
    reach_km
        How far people go to work; moves the median radius of gyration.
    traveller_share
        Share of people who leave for another town for days; moves the mean radius of gyration.
    """

    name: str
    users: int
    other_users: tuple[int, ...] = ()
    days: int = 14
    samples_per_user: float
    antennas: int
    area_km2: float
    rog_median_km: float | None = None
    rog_mean_km: float | None = None
    lat: float
    lng: float
    utc_offset_h: int = 0
    min_per_day: float = 0.0
    samples_sigma: float = 1.0
    capital_share: float
    towns: int
    rural_share: float
    town_spread_km: float = 0.55
    places_per_user: float = USUAL_PLACES
    reach_km: float = 7.0
    traveller_share: float = 0.075


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            name="civ",
            users=82_728,
            samples_per_user=216,
            antennas=1_238,
            area_km2=322_463,
            rog_median_km=1.8,
            rog_mean_km=12,
            lat=7.5,
            lng=-5.5,
            min_per_day=1.0,
            capital_share=0.35,
            towns=110,
            rural_share=0.2,
        ),
        Preset(
            name="sen",
            users=286_926,
            samples_per_user=103,
            antennas=1_666,
            area_km2=196_712,
            rog_median_km=2.0,
            rog_mean_km=10,
            lat=14.5,
            lng=-14.5,
            min_per_day=0.75,
            samples_sigma=0.9,
            capital_share=0.27,
            towns=120,
            rural_share=0.2,
            town_spread_km=0.65,
            reach_km=9.0,
            traveller_share=0.07,
        ),
        Preset(
            name="abidjan",
            users=20_160,
            other_users=(29_191,),
            samples_per_user=239,
            antennas=400,
            area_km2=2_731,
            lat=5.36,
            lng=-4.0,
            min_per_day=1.0,
            capital_share=0.3,
            towns=10,
            rural_share=0.1,
            traveller_share=0.0,
        ),
        Preset(
            name="dakar",
            users=71_146,
            samples_per_user=157,
            antennas=457,
            area_km2=1_024,
            lat=14.73,
            lng=-17.3,
            min_per_day=0.75,
            samples_sigma=0.9,
            capital_share=0.3,
            towns=8,
            rural_share=0.1,
            traveller_share=0.0,
        ),
        Preset(
            name="shanghai",
            users=50_000,
            days=1,
            samples_per_user=24,
            antennas=2_961,
            area_km2=3_329,
            lat=31.2,
            lng=121.45,
            utc_offset_h=8,
            min_per_day=1.0,
            samples_sigma=0.8,
            capital_share=0.25,
            towns=16,
            rural_share=0.15,
            traveller_share=0.0,
        ),
    )
}


def find_preset(preset: "str | Preset") -> Preset:
    """Return the preset of that name, or a preset of the caller's own unchanged."""
    if isinstance(preset, Preset):
        return preset
    if preset not in PRESETS:
        raise ParameterError(
            f"preset={preset!r}", expected="one of " + ", ".join(PRESETS), hint=did_you_mean(preset, PRESETS)
        )
    return PRESETS[preset]
