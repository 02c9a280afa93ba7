import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const lib = `use std::collections::HashMap;

#[derive(Debug, PartialEq)]
pub enum Token {
    Number(f64),
    Plus,
    Minus,
}

pub struct Lexer<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Lexer { chars: text.chars().peekable() }
    }

    pub fn tokens(&mut self) -> Vec<Token> {
        let mut found = Vec::new();
        while let Some(c) = self.chars.next() {
            match c {
                '+' => found.push(Token::Plus),
                '-' => found.push(Token::Minus),
                _ => {}
            }
        }
        found
    }
}

pub type Names = HashMap<String, f64>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_plus() {
        assert_eq!(Lexer::new("+").tokens(), vec![Token::Plus]);
    }
}
`

/** An enum case, a match arm, a trait, an error, tests in a module of the same file and in one of their own. */
export const rust: Session = {
  name: "Rust: numbers and evaluation",
  before: {
    "src/lib.rs": lib,
    "Cargo.toml": `[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n`
  },
  after: {
    "src/lib.rs": edited(
      lib,
      ["use std::collections::HashMap;\n", "use std::collections::HashMap;\nuse std::fmt;\n\npub mod eval;\n"],
      ["    Minus,\n", "    Minus,\n    Times,\n"],
      ["#[derive(Debug, PartialEq)]", "#[derive(Debug, Clone, PartialEq)]"],
      [
        "                _ => {}\n",
        "                '*' => found.push(Token::Times),\n                '0'..='9' => found.push(Token::Number(self.number(c))),\n                _ => {}\n"
      ],
      [
        "        found\n    }\n}\n",
        `        found
    }

    fn number(&mut self, first: char) -> f64 {
        let mut text = String::from(first);
        while let Some(&c) = self.chars.peek() {
            if !c.is_ascii_digit() && c != '.' {
                break;
            }
            text.push(c);
            self.chars.next();
        }
        text.parse().unwrap_or(f64::NAN)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Number(n) => write!(f, "{n}"),
            Token::Plus => f.write_str("+"),
            Token::Minus => f.write_str("-"),
            Token::Times => f.write_str("*"),
        }
    }
}
`
      ],
      [
        "vec![Token::Plus]);\n    }\n",
        `vec![Token::Plus]);
    }

    #[test]
    fn reads_numbers() {
        assert_eq!(Lexer::new("12.5").tokens(), [Token::Number(12.5)]);
    }
`
      ]
    ),
    "src/eval.rs": `use crate::Token;

#[derive(Debug)]
pub enum EvalError {
    Empty,
    Unexpected(Token),
}

pub const MAX_TOKENS: usize = 1_000;

/// Evaluates from left to right.
pub fn eval(tokens: &[Token]) -> Result<f64, EvalError> {
    assert!(tokens.len() <= MAX_TOKENS, "too long");
    let (first, rest) = tokens.split_first().ok_or(EvalError::Empty)?;
    let mut value = number(first)?;
    for pair in rest.chunks_exact(2) {
        let right = number(&pair[1])?;
        value = match pair[0] {
            Token::Plus => value + right,
            Token::Minus => value - right,
            Token::Times => value * right,
            ref other => return Err(EvalError::Unexpected(other.clone())),
        };
    }
    Ok(value)
}

fn number(token: &Token) -> Result<f64, EvalError> {
    match token {
        Token::Number(n) => Ok(*n),
        other => Err(EvalError::Unexpected(other.clone())),
    }
}
`,
    "tests/eval.rs": `use calc::eval::{eval, EvalError, MAX_TOKENS};
use calc::{Lexer, Token};

#[test]
fn adds() {
    assert!((eval(&Lexer::new("1+2").tokens()).unwrap() - 3.0).abs() < f64::EPSILON);
}

#[test]
fn nothing_is_an_error() {
    assert!(matches!(eval(&[]), Err(EvalError::Empty)));
}

#[test]
#[should_panic(expected = "too long")]
fn refuses_what_is_too_long() {
    let _ = eval(&vec![Token::Plus; MAX_TOKENS + 1]);
}

#[test]
fn subtracts() -> Result<(), Box<dyn std::error::Error>> {
    let value = eval(&Lexer::new("3-1").tokens()).map_err(|e| format!("{e:?}"))?;
    assert_eq!(value, 2.0);
    Ok(())
}
`,
    "Cargo.toml": `[package]\nname = "calc"\nversion = "0.2.0"\nedition = "2021"\n`
  },
  items: [
    ["Times is a token", { path: "src/lib.rs", from: "    Times," }],
    ["Tokens can be cloned", { path: "src/lib.rs", from: "Debug, Clone" }],
    ["The lexer reads numbers", { path: "src/lib.rs", from: "fn number", to: "unwrap_or" }],
    ["The lexer knows `*`", { path: "src/lib.rs", from: "'*' =>" }],
    ["Tokens can be shown", { path: "src/lib.rs", from: "impl fmt::Display", to: "}" }],
    ["Declare the module eval", { path: "src/lib.rs", from: "pub mod eval" }],
    ["eval in src/eval.rs", { path: "src/eval.rs", from: "pub fn eval", to: "Ok(value)" }],
    ["Errors of the evaluation", { path: "src/eval.rs", from: "pub enum EvalError", to: "}" }],
    ["At most 1000 tokens", { path: "src/eval.rs", from: "MAX_TOKENS: usize" }],
    ["Test numbers", { path: "src/lib.rs", from: "fn reads_numbers", to: "assert_eq" }],
    ["Test a sum", { path: "tests/eval.rs", from: "fn adds", to: "}" }],
    ["Test an empty expression", { path: "tests/eval.rs", from: "fn nothing_is" }],
    ["Test the limit", { path: "tests/eval.rs", from: "should_panic", to: "}" }],
    ["Test a difference", { path: "tests/eval.rs", from: "fn subtracts", to: "Ok(())" }],
    ["Raise the version", { path: "Cargo.toml", from: "0.2.0" }]
  ]
}
