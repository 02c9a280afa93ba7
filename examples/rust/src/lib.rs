//! Roman numerals, from 1 to 3999.

mod read;
mod write;

pub use read::{read, NotANumeral};
pub use write::write;

/** The signs with their values, the greatest first. */
pub(crate) const SIGNS: [(&str, u16); 13] = [
    ("M", 1000),
    ("CM", 900),
    ("D", 500),
    ("CD", 400),
    ("C", 100),
    ("XC", 90),
    ("L", 50),
    ("XL", 40),
    ("X", 10),
    ("IX", 9),
    ("V", 5),
    ("IV", 4),
    ("I", 1),
];
