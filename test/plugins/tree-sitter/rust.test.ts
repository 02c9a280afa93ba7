import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs = [
  "{}",
  "{\n    // TODO: implement\n}",
  "{ /* later */ }",
  "{ () }",
  "{ ; }",
  "{ return; }",
  "{ None }",
  "{ return None; }",
  "{ (None, None) }",
  "{ todo!() }",
  '{ todo!("login"); }',
  "{ std::todo!() }",
  "{ unimplemented!() }",
  '{ unimplemented!("{} is not written yet", a) }',
  '{ panic!("not implemented") }',
  '{ panic!("TODO"); }',
  '{ unreachable!("TODO: implement") }',
  '{ assert!(false, "not implemented"); }',
  '{ Err("not implemented".into()) }',
  '{ return Err(anyhow!("not yet implemented")); }',
  '{ Err(io::Error::new(io::ErrorKind::Other, "TODO")) }',
  "{ Err(Error::NotImplemented) }",
  '{ Err(Status::unimplemented("get")) }',
  '{ bail!("not implemented") }',
  '{ anyhow::bail!("TODO: implement"); }',
  '{ println!("TODO"); }',
  '{ eprintln!("not implemented"); None }',
  '{ log::warn!("not implemented"); Ok(()) }',
  "{ let _ = a; todo!() }",
  "{ let _ = (a, b); }",
  "{ _ = a; }",
  "{ if a.is_empty() { return None; } None }",
  "{ match a { _ => todo!() } }",
  "{ unsafe { todo!() } }",
  '{ "not implemented".to_string() }',
  "{\n    // TODO\n    0\n}",
  "{ false // FIXME\n}",
  "{\n    // placeholder\n    Ok(Vec::new())\n}",
  "{\n    // TODO\n    Default::default()\n}"
]

/** Bodies that do something, however little. */
const real = [
  "{ a }",
  "{ 0 }",
  "{ false }",
  "{ String::new() }",
  "{ Vec::new() }",
  "{ Some(a) }",
  "{ Ok(a) }",
  "{ Self {} }",
  "{ Self::default() }",
  "{ &self.a }",
  "{ self.a = a; }",
  "{ a.b(); }",
  "{ // TODO: faster\n    a + 1 }",
  "{ if a.is_empty() { return None; } a.first() }",
  "{ match *self {} }",
  '{ panic!("bad {}", a) }',
  "{ unreachable!() }",
  '{ Err("no such user".into()) }',
  '{ "todo" }',
  "{ loop {} }",
  "{ spawn(|| {}); }",
  "{ let _ = b(a); }"
]

/** Where a body may stand. */
const places: Readonly<Record<string, (body: string) => string>> = {
  "a function": (body) => `pub fn f(a: A) -> B ${body}\n`,
  "an async function": (body) => `pub(crate) async fn f<T: Clone>(a: T) -> B where T: Send ${body}\n`,
  "a const function": (body) => `const fn f(a: A) -> B ${body}\n`,
  "an exported function": (body) => `#[no_mangle]\npub unsafe extern "C" fn f(a: A) -> B ${body}\n`,
  "a method": (body) => `impl<T> List<T> {\n    fn f(&self, a: A) -> B ${body}\n}\n`,
  "a method of a trait": (body) => `impl fmt::Display for List {\n    fn f(&self, a: A) -> B ${body}\n}\n`,
  "a test": (body) => `mod tests {\n    #[test]\n    fn f() ${body}\n}\n`,
  "what a macro wraps": (body) => `cfg_unix! {\n    /// F.\n    #[inline]\n    pub fn f(a: A) -> B ${body}\n}\n`,
  "a closure": (body) => `static G: fn(u8) -> u8 = |f| ${body};\n`
}

describe("given a Rust file", () => {
  for (const [place, put] of Object.entries(places)) {
    it(`when ${place} does nothing, then it is empty, by its signature and as a whole`, async () => {
      for (const body of stubs) {
        const text = put(body)
        const head = text.split("\n").findIndex((line) => /\bfn f\b|\|f\|/.test(line)) + 1
        assert.isNotNull((await judged("a.rs", text, head)).empty, text)
        assert.isNotNull((await judged("a.rs", text, [1, text.trimEnd().split("\n").length])).empty, text)
      }
    })

    it(`when ${place} does something, then it is none`, async () => {
      for (const body of real) {
        const text = put(body)
        const head = text.split("\n").findIndex((line) => /\bfn f\b|\|f\|/.test(line)) + 1
        const { empty } = await judged("a.rs", text, head)
        assert.isNull(empty, `${text}: ${empty}`)
      }
    })
  }

  it("when it declares what needs no body, then nothing is empty", async () => {
    const text = `pub struct Unit;
pub struct Point { x: i32 }
pub enum Colour { Red }
pub type Id = u64;
pub mod login;
pub trait Shape {
    type Out;
    fn area(&self) -> f64;
    fn visit(&mut self) {}
    fn source(&self) -> Option<u8> { None }
    fn end(&self, key: u8) -> Result<(), ()> { let _ = key; Ok(()) }
}
impl Marker for Point {}
unsafe impl Send for Point {}
impl Drop for Point { fn drop(&mut self) {} }
impl Write for Point { fn flush(&mut self) -> io::Result<()> { Ok(()) } }
extern "C" { fn c_add(a: i32) -> i32; }
macro_rules! nothing { () => {}; }
fn noop() {}
fn assert_send<T: Send>() {}
`
    const found = await verdicts("shapes.rs", text)
    assert.deepStrictEqual(
      Object.entries(found).filter(([, empty]) => empty !== null),
      []
    )
    assert.containsAllKeys(found, ["Unit", "Shape.area", "Shape.visit", "Point.flush", "c_add", "nothing", "noop"])
    assert.isNull((await judged("shapes.rs", text, [1, 5])).empty)
    assert.isNull((await judged("shapes.rs", text, 13)).empty)
  })

  it("when a default or an outcome of success stands under a TODO, then it is empty", async () => {
    const found = await verdicts(
      "a.rs",
      `trait T {
    fn a(&self) { todo!() }
    fn b(&self) { /* TODO */ }
}
impl T for X {
    fn c(&self) -> Result<(), E> {
        // TODO: save it
        Ok(())
    }
}
fn d() -> Result<(), E> { Ok(()) }
fn e() -> Result<Option<u8>, E> { Ok(None) }
`
    )
    for (const name of ["T.a", "T.b", "X.c", "d", "e"]) assert.isNotNull(found[name], name)
  })

  it("when attributes stand before a function, then they belong to it", async () => {
    const text = "#[test]\n#[ignore]\nfn f() {}\n\n#[inline]\nfn g() -> u8 { h() }\n"
    assert.include((await judged("a.rs", text, 1)).empty, "f (line 1)")
    assert.isNull((await judged("a.rs", text, 5)).empty)
  })

  it("when a macro hides functions, then the text has the last word", async () => {
    const text = `cfg_if! {
    if #[cfg(unix)] {
        fn a() {
        }
    } else {
        fn a() { b() }
    }
}
`
    assert.isNotNull((await judged("a.rs", text, [3, 4])).empty)
    assert.isNull((await judged("a.rs", text, 6)).empty)
  })

  it("when lines hold only uses, comments or todo!(), then they show nothing", async () => {
    const text =
      "use std::io;\nextern crate a;\n\n/// F.\nfn f(a: u8) -> u8 {\n    if a == 0 {\n        todo!();\n    }\n    a\n}\n"
    assert.include((await judged("a.rs", text, [1, 2])).empty, "imports")
    assert.include((await judged("a.rs", text, 4)).empty, "comments")
    assert.isNotNull((await judged("a.rs", text, 7)).empty)
    assert.isNull((await judged("a.rs", text, 5)).empty)
  })

  it("when lines are neutralised, then a panic stands before them and the rest stays", async () => {
    const text = "fn f() -> u8 {\n    let x = 1;\n    x\n}\n\nstatic G: fn(u8) -> u8 = |x| x;\n"
    const { neutralised } = await outlined("a.rs", text)
    assert.strictEqual(
      neutralised({ start: 1, end: 4 }),
      text.replace("    let x", '    panic!("neutralised");\n    let x')
    )
    assert.strictEqual(neutralised({ start: 6, end: 6 }), text.replace("|x| x", '|x| panic!("neutralised")'))
  })
})
