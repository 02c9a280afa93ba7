use numerals::{read, write, NotANumeral};

#[test]
fn reads_what_is_written() {
    for number in 1..4000 {
        assert_eq!(read(&write(number).unwrap()), Ok(number));
    }
}

#[test]
fn refuses_other_forms() {
    for text in ["", "IIII", "IC", "VX", "MMMM", "xiv", "X V"] {
        assert_eq!(read(text), Err(NotANumeral), "{text}");
    }
}
