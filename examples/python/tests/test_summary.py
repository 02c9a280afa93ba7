import unittest
from datetime import date

from readings.parse import Reading
from readings.summary import highest, mean_level

READINGS = [Reading(date(2026, 1, day), level) for day, level in [(1, 2.0), (2, 3.5), (3, 3.5), (4, 1.0)]]


class SummaryTest(unittest.TestCase):
    def test_the_mean(self):
        self.assertEqual(mean_level(READINGS), 2.5)

    def test_the_highest_is_the_earliest_of_several(self):
        self.assertEqual(highest(READINGS), READINGS[1])

    def test_there_is_neither_of_none(self):
        for summarise in [mean_level, highest]:
            with self.assertRaises(ValueError):
                summarise([])


if __name__ == "__main__":
    unittest.main()
