use numerals::write;

#[test]
fn writes_numbers() {
    for (number, numeral) in [(1, "I"), (4, "IV"), (14, "XIV"), (1994, "MCMXCIV"), (3999, "MMMCMXCIX")] {
        assert_eq!(write(number).as_deref(), Some(numeral));
    }
}

#[test]
fn writes_nothing_beyond() {
    assert_eq!(write(0), None);
    assert_eq!(write(4000), None);
}
