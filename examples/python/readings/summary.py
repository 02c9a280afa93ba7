from readings.parse import Reading


def mean_level(readings: list[Reading]) -> float:
    """The mean of all levels; of none a ValueError."""
    raise NotImplementedError


def highest(readings: list[Reading]) -> Reading:
    """The reading with the highest level, of several the earliest; of none a ValueError."""
    raise NotImplementedError
