"""Which mechanisms are run, with which parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shoal.mechanisms import registry
from shoal.reproduce.promesse.printed import F_SCORES, DataSet

if TYPE_CHECKING:
    from shoal.mechanisms.base import Mechanism


@dataclass(frozen=True)
class Job:
    """One mechanism with its parameters.

    Attributes
    ----------
    row
        The row of the paper's tables.
    mechanism, parameters
        As in the registry.
    way
        ``chord`` and ``path`` of Promesse; the others have one way.
    """

    row: str
    mechanism: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    way: str = ""

    @property
    def name(self) -> str:
        """Name of its file.

        >>> Job("geoind-ln(4)/200", "geoind").name, Job("promesse-100", "promesse", way="path").name
        ('geoind-ln4-200', 'promesse-100-path')
        """
        return "-".join(filter(None, (self.row.translate(str.maketrans("/", "-", "()")), self.way)))

    @property
    def words(self) -> str:
        """Name the row for people.

        >>> Job("geoind-ln(4)/200", "geoind").words, Job("promesse-100", "promesse").words, Job("w4m", "w4m").words
        ('Geo-I ln4/200', 'Promesse 100 m', 'W4M')
        """
        value = self.row.partition("-")[2].translate(str.maketrans("", "", "()"))
        return {"promesse": f"Promesse {value} m", "geoind": f"Geo-I {value}", "w4m": "W4M"}[self.mechanism]

    @property
    def known(self) -> bool:
        """Whether there is such a mechanism, or it comes later."""
        return self.mechanism in registry.names()

    def made(self) -> "Mechanism":
        return registry.find(self.mechanism)(**self.parameters)


W4M = {"k": 2, "delta_m": 200.0, "max_radius_m": 5000.0, "trash": 0.1}
MECHANISMS = ("promesse", "geoind", "w4m")


def jobs(data_set: DataSet) -> list[Job]:
    """Everything that the tables show of a data set.

    >>> [job.name for job in jobs("cabspotting")][:3]
    ['promesse-100-chord', 'promesse-100-path', 'promesse-200-chord']
    """
    found: list[Job] = []
    for row in F_SCORES[data_set]:
        mechanism, _, value = row.partition("-")
        if mechanism == "promesse":
            for way in ("chord", "path"):
                smoothing = {"alpha_m": float(value), "endpoint_trim": "fixed", "interpolation": way}
                found.append(Job(row, mechanism, smoothing, way))
        elif mechanism == "geoind":
            found.append(Job(row, mechanism, {"epsilon": value}))
        else:
            found.append(Job(row, mechanism, W4M))
    return found
