use crate::{write, SIGNS};

/// What is no numeral.
#[derive(Debug, PartialEq)]
pub struct NotANumeral;

/// The number of a numeral. Only the usual form is one: `IV`, and not `IIII`.
pub fn read(text: &str) -> Result<u16, NotANumeral> {
    let mut rest = text;
    let mut number: u16 = 0;
    for (sign, value) in SIGNS {
        while let Some(left) = rest.strip_prefix(sign) {
            number = number.checked_add(value).ok_or(NotANumeral)?;
            rest = left;
        }
    }
    if rest.is_empty() && write(number).as_deref() == Some(text) {
        Ok(number)
    } else {
        Err(NotANumeral)
    }
}
