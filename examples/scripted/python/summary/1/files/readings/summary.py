from readings.parse import Reading


def mean_level(readings: list[Reading]) -> float:
    """The mean of all levels; of none a ValueError."""
    if not readings:
        raise ValueError("there is no reading")
    return sum(reading.level for reading in readings) / len(readings)


def highest(readings: list[Reading]) -> Reading:
    """The reading with the highest level, of several the earliest; of none a ValueError."""
    if not readings:
        raise ValueError("there is no reading")
    return min(readings, key=lambda reading: (-reading.level, reading.day))
