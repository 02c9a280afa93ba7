import unittest
from datetime import date

from readings.parse import Reading, parse, parse_line


class ParseTest(unittest.TestCase):
    def test_a_line(self):
        self.assertEqual(parse_line("2026-01-03 2.41"), Reading(date(2026, 1, 3), 2.41))

    def test_blank_lines_and_comments_are_left_out(self):
        text = "# gauge 7\n\n2026-01-03 2.41\n  2026-01-04   1.9  \n"
        self.assertEqual([reading.level for reading in parse(text)], [2.41, 1.9])

    def test_a_line_that_cannot_be_read_is_named(self):
        for line in ["2026-13-03 2.41", "2026-01-03", "2026-01-03 high", "2026-01-03 2.41 m"]:
            with self.assertRaisesRegex(ValueError, "line 2"):
                parse(f"2026-01-02 1\n{line}\n")


if __name__ == "__main__":
    unittest.main()
