/// A number as a numeral; None for 0 and for what is above 3999.
pub fn write(number: u16) -> Option<String> {
    if number == 0 || number > 3999 {
        return None;
    }
    todo!("the numeral itself")
}
