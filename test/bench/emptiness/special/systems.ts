import { accepted, type Fixture, nothings, refused } from "./Fixture.ts"

const braces = { comment: "// Logs a user in.\n/* later */", close: "}" }

export const go: ReadonlyArray<Fixture> = [
  accepted(
    "a.go",
    "interface",
    `
 package a
>type Reader interface {
>	Read(p []byte) (n int, err error)
>}
`
  ),
  accepted(
    "a.go",
    "interface method",
    `
 package a
 type Reader interface {
>	Read(p []byte) (n int, err error)
 }
`
  ),
  accepted(
    "a.go",
    "marker struct",
    `
 package a
>type key struct{}
`
  ),
  accepted(
    "a.go",
    "struct",
    `
 package a
>type User struct {
>	Name string
>}
`
  ),
  accepted(
    "a.go",
    "constants",
    `
 package a
 const (
>	Red = iota
>	Green
 )
`
  ),
  accepted(
    "a.go",
    "return 0",
    `
 package a
>func exitCode() int {
>	return 0
>}
`
  ),
  accepted(
    "a.go",
    "return false",
    `
 package a
>func (l leaf) HasChildren() bool { return false }
`
  ),
  accepted(
    "a.go",
    "text",
    `
 package a
>func (p plugin) Name() string { return "login" }
`
  ),
  accepted(
    "a.go",
    "constructor",
    `
 package a
>func New(name string) *User { return &User{Name: name} }
`
  ),
  accepted(
    "a.go",
    "return nil of a function that works",
    `
 package a
 func find(name string) *User {
 	for _, u := range users {
 		if u.Name == name {
 			return u
 		}
 	}
>	return nil
 }
`
  ),
  accepted(
    "a.go",
    "type check",
    `
 package a
>var _ Reader = (*file)(nil)
`
  ),
  refused(
    "a.go",
    "two stubs",
    `
 package a
>func Login(user string) error {
>	return errors.New("not implemented")
>}
>
>func Logout() {
>}
`
  ),
  ...nothings("a.go", {
    ...braces,
    imports: 'import (\n\t"fmt"\n\t"os"\n)',
    body: "func f(x int) int {\n\treturn x + g(x)\n}"
  })
]

export const rust: ReadonlyArray<Fixture> = [
  accepted(
    "a.rs",
    "trait",
    `
>pub trait Read {
>    fn read(&mut self, buf: &mut [u8]) -> usize;
>}
`
  ),
  accepted(
    "a.rs",
    "trait method",
    `
 pub trait Read {
>    fn read(&mut self, buf: &mut [u8]) -> usize;
 }
`
  ),
  accepted(
    "a.rs",
    "unit struct",
    `
>pub struct Marker;
`
  ),
  accepted(
    "a.rs",
    "empty struct",
    `
>pub struct Marker {}
`
  ),
  accepted(
    "a.rs",
    "marker trait implementation",
    `
 struct Failure;
>impl std::error::Error for Failure {}
`
  ),
  accepted(
    "a.rs",
    "enum",
    `
>pub enum Color {
>    Red,
>    Green,
>}
`
  ),
  accepted(
    "a.rs",
    "enum member",
    `
 pub enum Color {
>    Red,
     Green,
 }
`
  ),
  accepted(
    "a.rs",
    "zero",
    `
>fn exit_code() -> i32 {
>    0
>}
`
  ),
  accepted(
    "a.rs",
    "false",
    `
>fn is_leaf(&self) -> bool { false }
`
  ),
  accepted(
    "a.rs",
    "text",
    `
>fn name(&self) -> &str { "login" }
`
  ),
  accepted(
    "a.rs",
    "empty vector",
    `
>fn children(&self) -> Vec<Node> {
>    vec![]
>}
`
  ),
  accepted(
    "a.rs",
    "constructor",
    `
>pub fn new() -> Self { Self }
`
  ),
  accepted(
    "a.rs",
    "None of a function that works",
    `
 fn find(users: &[User], name: &str) -> Option<usize> {
     for (i, user) in users.iter().enumerate() {
         if user.name == name { return Some(i); }
     }
>    None
 }
`
  ),
  accepted(
    "a.rs",
    "module",
    `
>pub mod login;
`
  ),
  accepted(
    "a.rs",
    "unreachable arm of a function that works",
    `
 fn size(kind: u8) -> usize {
     match kind {
         1 => 8,
>        _ => unreachable!(),
     }
 }
`
  ),
  refused(
    "a.rs",
    "impl of stubs",
    `
 struct Login;
>impl Login {
>    fn login(&self) { todo!() }
>    fn logout(&self) {}
>}
`
  ),
  ...nothings("a.rs", {
    ...braces,
    imports: "use std::fs;\nuse std::{io, fmt};",
    body: "fn f(x: i32) -> i32 {\n    x + g(x)\n}"
  })
]

export const c: ReadonlyArray<Fixture> = [
  accepted(
    "a.h",
    "prototype",
    `
>int login(const char *user);
`
  ),
  accepted(
    "a.h",
    "struct",
    `
>struct user {
>    const char *name;
>};
`
  ),
  accepted(
    "a.h",
    "opaque type",
    `
>typedef struct user user_t;
`
  ),
  accepted(
    "a.c",
    "enum",
    `
>enum color { RED = 1, GREEN };
`
  ),
  accepted(
    "a.c",
    "macro",
    `
>#define MAX_USERS 100
`
  ),
  accepted(
    "a.c",
    "return 0",
    `
>int exit_code(void)
>{
>    return 0;
>}
`
  ),
  accepted(
    "a.c",
    "text",
    `
>const char *name(void) { return "login"; }
`
  ),
  accepted(
    "a.c",
    "table",
    `
>static const int sizes[] = { 1, 2, 4 };
`
  ),
  accepted(
    "a.c",
    "loop with an empty body",
    `
 void copy(char *to, const char *from)
 {
>    while ((*to++ = *from++)) {}
 }
`
  ),
  accepted(
    "a.c",
    "return NULL of a function that works",
    `
 struct user *find(const char *name)
 {
     for (int i = 0; i < count; i++)
         if (!strcmp(users[i].name, name)) return &users[i];
>    return NULL;
 }
`
  ),
  refused(
    "a.c",
    "two stubs",
    `
>void login(void) {}
>
>void logout(void)
>{
>    /* TODO */
>}
`
  ),
  ...nothings("a.c", {
    ...braces,
    imports: '#include <stdio.h>\n#include "user.h"',
    body: "int f(int x)\n{\n    return x + g(x);\n}"
  })
]

export const cpp: ReadonlyArray<Fixture> = [
  accepted(
    "a.hpp",
    "pure virtual method",
    `
 class Shape {
  public:
>  virtual double area() const = 0;
 };
`
  ),
  accepted(
    "a.hpp",
    "interface",
    `
>class Reader {
> public:
>  virtual ~Reader() = default;
>  virtual int read(char* to, int size) = 0;
>};
`
  ),
  accepted(
    "a.cpp",
    "initialiser list",
    `
 class User {
  public:
>  User(std::string name, int age) : name_(std::move(name)), age_(age) {}
 };
`
  ),
  accepted(
    "a.cpp",
    "initialiser list over lines",
    `
>User::User(std::string name)
>    : name_(std::move(name)),
>      age_{0} {
>}
`
  ),
  accepted(
    "a.cpp",
    "constructor without parameters",
    `
 class User {
>  User() {}
 };
`
  ),
  accepted(
    "a.cpp",
    "defaulted and deleted",
    `
 class User {
>  User(const User&) = delete;
>  User() = default;
 };
`
  ),
  accepted(
    "a.cpp",
    "destructor",
    `
 class User {
>  virtual ~User() {}
 };
`
  ),
  accepted(
    "a.hpp",
    "marker struct",
    `
>struct tag {};
`
  ),
  accepted(
    "a.hpp",
    "exception",
    `
>class LoginFailed : public std::runtime_error {
>  using std::runtime_error::runtime_error;
>};
`
  ),
  accepted(
    "a.hpp",
    "derived tag",
    `
>struct random_access_tag : bidirectional_tag {};
`
  ),
  accepted(
    "a.hpp",
    "enum class",
    `
>enum class Color { Red, Green };
`
  ),
  accepted(
    "a.cpp",
    "return false",
    `
>bool Leaf::hasChildren() const { return false; }
`
  ),
  accepted(
    "a.cpp",
    "text",
    `
>std::string name() const override { return "login"; }
`
  ),
  accepted(
    "a.hpp",
    "alias",
    `
>using Path = std::vector<std::string>;
`
  ),
  refused(
    "a.cpp",
    "two stubs",
    `
>void Login::login(const std::string& user) {}
>
>void Login::logout() {
>  throw std::runtime_error("not implemented");
>}
`
  ),
  ...nothings("a.cpp", {
    ...braces,
    imports: "#include <string>\nusing namespace std;",
    body: "int f(int x) {\n  return x + g(x);\n}"
  })
]
