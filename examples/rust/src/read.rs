/// What is no numeral.
#[derive(Debug, PartialEq)]
pub struct NotANumeral;

/// The number of a numeral. Only the usual form is one: `IV`, and not `IIII`.
pub fn read(text: &str) -> Result<u16, NotANumeral> {
    todo!()
}
