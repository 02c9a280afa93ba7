from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Reading:
    """The water level of a day, in metres."""

    day: date
    level: float


def parse_line(line: str) -> Reading:
    """A line such as `2026-01-03 2.41`."""
    day, level = line.split()
    return Reading(date.fromisoformat(day), float(level))


def parse(text: str) -> list[Reading]:
    """All lines of a file. Blank lines and lines that begin with # are none; a line that cannot be read is a ValueError with its number."""
    readings = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() == "" or line.startswith("#"):
            continue
        try:
            readings.append(parse_line(line))
        except ValueError as cause:
            raise ValueError(f"line {number} cannot be read: {cause}") from cause
    return readings
