import { accepted, type Fixture, nothings, refused } from "./Fixture.ts"

export const python: ReadonlyArray<Fixture> = [
  accepted(
    "a.py",
    "abstract method",
    `
 from abc import ABC, abstractmethod

 class Shape(ABC):
     @abstractmethod
>    def area(self) -> float:
>        ...
`
  ),
  accepted(
    "a.py",
    "abstract method that raises",
    `
 import abc

 class Shape(abc.ABC):
>    @property
>    @abc.abstractmethod
>    def area(self) -> float:
>        """Its size."""
>        raise NotImplementedError
`
  ),
  accepted(
    "a.py",
    "protocol method",
    `
 from typing import Protocol

 class Reader(Protocol):
>    def read(self, size: int) -> bytes: ...
`
  ),
  accepted(
    "a.py",
    "protocol",
    `
 from typing import Protocol

>class Reader(Protocol):
>    def read(self, size: int) -> bytes: ...
>    def close(self) -> None: ...
`
  ),
  accepted(
    "a.py",
    "overload",
    `
 from typing import overload

 @overload
>def parse(value: str) -> str: ...
 @overload
 def parse(value: bytes) -> bytes: ...
 def parse(value):
     return value.strip()
`
  ),
  accepted(
    "a.pyi",
    "stub file",
    `
>def parse(value: str) -> str: ...
`
  ),
  accepted(
    "a.py",
    "exception",
    `
>class LoginFailed(Exception):
>    pass
`
  ),
  accepted(
    "a.py",
    "exception with documentation",
    `
>class LoginFailed(RuntimeError):
>    """The password was wrong."""
`
  ),
  accepted(
    "a.py",
    "enum members",
    `
 from enum import Enum

 class Color(Enum):
>    RED = 1
>    GREEN = 2
`
  ),
  accepted(
    "a.py",
    "dataclass",
    `
 from dataclasses import dataclass

 @dataclass
>class Point:
>    x: int
>    y: int = 0
`
  ),
  accepted(
    "a.py",
    "property that gives a constant",
    `
 class Plugin:
     @property
>    def name(self) -> str:
>        return "login"
`
  ),
  accepted(
    "a.py",
    "return 0",
    `
>def exit_code(self) -> int:
>    return 0
`
  ),
  accepted(
    "a.py",
    "return False",
    `
>def is_leaf(self):
>    return False
`
  ),
  accepted(
    "a.py",
    "return []",
    `
>def children(self):
>    return []
`
  ),
  accepted(
    "a.py",
    "return text",
    `
>def __repr__(self):
>    return ""
`
  ),
  accepted(
    "a.py",
    "constructor that keeps a value",
    `
 class User:
>    def __init__(self, name):
>        self.name = name
`
  ),
  accepted(
    "a.py",
    "type alias",
    `
 from typing import Union

>Path = Union[str, bytes]
`
  ),
  accepted(
    "a.py",
    "empty branch of a function that works",
    `
 def read(path):
     try:
         return open(path).read()
>    except FileNotFoundError:
>        pass
     return ""
`
  ),
  refused(
    "a.py",
    "class of stubs",
    `
>class Login:
>    def login(self, user):
>        pass
>
>    def logout(self):
>        raise NotImplementedError
`
  ),
  refused(
    "a.py",
    "one of two functions is empty",
    `
>def login(user):
>    return check(user)
>
>def logout(user):
>    pass
`
  ),
  ...nothings("a.py", {
    comment: "# Logs a user in.\n# Later.",
    imports: "import os\nfrom sys import argv",
    body: "def f(x):\n    return x + g(x)"
  })
]

export const ruby: ReadonlyArray<Fixture> = [
  accepted(
    "a.rb",
    "exception",
    `
>class LoginFailed < StandardError; end
`
  ),
  accepted(
    "a.rb",
    "exception over two lines",
    `
>class LoginFailed < StandardError
>end
`
  ),
  accepted(
    "a.rb",
    "constructor without parameters",
    `
 class User
>  def initialize
>  end
 end
`
  ),
  accepted(
    "a.rb",
    "attributes",
    `
 class User
>  attr_reader :name, :email
 end
`
  ),
  accepted(
    "a.rb",
    "return false",
    `
>def leaf?
>  false
>end
`
  ),
  accepted(
    "a.rb",
    "zero",
    `
>def count
>  0
>end
`
  ),
  accepted(
    "a.rb",
    "empty array",
    `
>def children
>  []
>end
`
  ),
  accepted(
    "a.rb",
    "text",
    `
>def name
>  "login"
>end
`
  ),
  accepted(
    "a.rb",
    "struct",
    `
>Point = Struct.new(:x, :y)
`
  ),
  accepted(
    "a.rb",
    "symbol",
    `
>def kind
>  :user
>end
`
  ),
  refused(
    "a.rb",
    "class of stubs",
    `
>class Login
>  def login(user)
>  end
>
>  def logout
>    raise NotImplementedError
>  end
>end
`
  ),
  ...nothings("a.rb", {
    comment: "# Logs a user in.",
    imports: 'require "json"\nrequire_relative "user"',
    body: "def f(x)\n  x + g(x)\nend",
    close: "end"
  })
]

export const bash: ReadonlyArray<Fixture> = [
  accepted(
    "a.sh",
    "returns a status",
    `
>is_leaf() {
>  return 1
>}
`
  ),
  accepted(
    "a.sh",
    "prints a constant",
    `
>version() {
>  echo "1.2.0"
>}
`
  ),
  accepted(
    "a.sh",
    "assignments",
    `
>RED=1
>GREEN=2
`
  ),
  accepted(
    "a.sh",
    "loop with an empty body",
    `
 wait_for() {
>  while ! ping -c 1 "$1"; do :; done
 }
`
  ),
  accepted(
    "a.sh",
    "option that does nothing in a function that works",
    `
 main() {
   case "$1" in
>    -q) : ;;
     *) run "$1" ;;
   esac
 }
`
  ),
  refused(
    "a.sh",
    "function keyword",
    `
>function login {
>  :
>}
`
  ),
  ...nothings("a.sh", {
    comment: "# Logs a user in.",
    body: 'f() {\n  grep "$1" users\n}',
    close: "}"
  })
]
