import { accepted, type Fixture, nothings, refused } from "./Fixture.ts"

export const swift: ReadonlyArray<Fixture> = [
  accepted(
    "a.swift",
    "protocol",
    `
>protocol Reader {
>  func read(size: Int) -> String
>  var name: String { get }
>}
`
  ),
  accepted(
    "a.swift",
    "protocol method",
    `
 protocol Reader {
>  func read(size: Int) -> String
 }
`
  ),
  accepted(
    "a.swift",
    "conformance",
    `
 struct Failure {}
>extension Failure: Error {}
`
  ),
  accepted(
    "a.swift",
    "constructor without parameters",
    `
 class User {
>  init() {}
 }
`
  ),
  accepted(
    "a.swift",
    "exception",
    `
>struct LoginFailed: Error {}
`
  ),
  accepted(
    "a.swift",
    "enum",
    `
>enum Color: Int {
>  case red = 1
>  case green
>}
`
  ),
  accepted(
    "a.swift",
    "enum member",
    `
 enum Color {
>  case red
   case green
 }
`
  ),
  accepted(
    "a.swift",
    "computed property",
    `
 struct Plugin {
>  var name: String { "login" }
 }
`
  ),
  accepted(
    "a.swift",
    "return false",
    `
>func isLeaf() -> Bool { return false }
`
  ),
  accepted(
    "a.swift",
    "empty array",
    `
>func children() -> [Node] {
>  return []
>}
`
  ),
  accepted(
    "a.swift",
    "constructor of a coder that is not used",
    `
 class Cell {
   override init(frame: CGRect) {
>    super.init(frame: frame)
   }
 }
`
  ),
  refused(
    "a.swift",
    "class of stubs",
    `
>class Login {
>  func login(user: String) {}
>  func logout() { fatalError("not implemented") }
>}
`
  ),
  ...nothings("a.swift", {
    comment: "// Logs a user in.\n/* later */",
    close: "}",
    imports: "import Foundation\n@testable import App",
    body: "func f(x: Int) -> Int {\n  return x + g(x)\n}"
  })
]
