import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs = [
  "{}",
  "{\n    // TODO: implement\n}",
  "{ return; }",
  "{ return nullptr; }",
  "{ return NULL; }",
  "{ return std::nullopt; }",
  "{ (void)a; return nullptr; }",
  "{ std::ignore = a; }",
  "{ [[maybe_unused]] auto& _ = a; }",
  "{ abort(); }",
  "{ std::abort(); }",
  '{ assert(false && "not implemented"); return 0; }',
  '{ throw std::runtime_error("not implemented"); }',
  '{ throw std::logic_error{"TODO: implement"}; }',
  "{ throw NotImplementedException(); }",
  "{ throw not_implemented{}; }",
  '{ throw "not implemented"; }',
  '{ std::cerr << "not implemented" << std::endl; }',
  '{ std::cout << "TODO\\n"; return 0; }',
  '{ LOG(ERROR) << "login is not implemented"; return nullptr; }',
  '{ qWarning() << "TODO"; }',
  '{ FAIL() << "not implemented"; }',
  '{ return absl::UnimplementedError("login"); }',
  '{ return std::unexpected("not implemented"); }',
  "{ Q_UNUSED(a); }",
  "{ try { } catch (const std::exception& e) { } }",
  "{ if (!a) return nullptr; return nullptr; }",
  "{ co_return; }",
  "{\n    // TODO\n    return {};\n}",
  "{\n    return false; // FIXME\n}",
  "{\n    // placeholder\n    return std::vector<int>{};\n}"
]

/** Bodies that do something, however little. */
const real = [
  "{ return a; }",
  "{ return 0; }",
  "{ return {}; }",
  "{ return true; }",
  "{ return a->b(); }",
  "{ return *this; }",
  "{ a_ = a; }",
  "{ b(a); }",
  "{\n    // TODO: faster\n    return a + b;\n}",
  "{ if (b(a)) return nullptr; return nullptr; }",
  '{ throw std::out_of_range("no such user"); }',
  '{ std::cout << "hello"; }',
  "{ on([] {}); }",
  "{ try { b(a); } catch (...) { } }",
  "{ std::string s(a); return s; }",
  '{ return "todo"; }',
  "{ auto g = [] {}; return g; }",
  "{ EXPECT_EQ(a, b); }"
]

/** Where a body may stand. */
const places: Readonly<Record<string, (body: string) => string>> = {
  "a function": (body) => `int f(int a, const char* b) ${body}\n`,
  "a template": (body) => `template <typename T>\nrequires Sized<T>\nauto f(T&& a) noexcept -> T* ${body}\n`,
  "a function in a namespace": (body) => `namespace a::b {\nstd::optional<int> f(int a) ${body}\n}\n`,
  "a method": (body) => `class C : public B {\npublic:\n  virtual int& f(int a) const noexcept override ${body}\n};\n`,
  "a method of an exported class": (body) =>
    `class LIB_API C final : public B {\npublic:\n  int f(int a) ${body}\n};\n`,
  "a method with macros": (body) => `struct C {\n  LIB_INLINE const T* f(int a) const LIB_NOEXCEPT ${body}\n};\n`,
  "a method behind a macro": (body) => `class C {\n  Q_OBJECT\n  LIB_INLINE\n  iterator f() const& ${body}\n};\n`,
  "a slot": (body) =>
    `class C : public QObject {\n  Q_OBJECT\npublic slots:\n  void f(int a) ${body}\nsignals:\n  void g();\n};\n`,
  "a static method": (body) => `struct C {\n  static T<int> f(int a) ${body}\n};\n`,
  "a definition out of its class": (body) => `template <class T>\nint C<T>::f(int a) const ${body}\n`,
  "a constructor of something": (body) => `struct f {\n  explicit f(int a, int b) ${body}\n};\n`,
  "an operator": (body) => `bool operator==(const f& a, const f& b) ${body}\n`,
  "a conversion": (body) => `struct C {\n  operator f() const ${body}\n};\n`,
  "a method with a semicolon behind it": (body) => `struct C {\n  T& f(int a) const ${body};\n};\n`,
  "a function with a semicolon behind it": (body) => `namespace n {\nT* f(int a) ${body};\n}\n`,
  "a friend": (body) => `struct C {\n  friend void f(C a) ${body}\n};\n`,
  "a C function": (body) => `extern "C" int f(int a) ${body}\n`,
  "a lambda with a name": (body) => `static const auto f = [](int a) ${body};\n`,
  "a test": (body) => `TEST_F(Cart, f) ${body}\n`,
  "a test with a text for its name": (body) => `TEST_CASE("f", "[cart]") ${body}\n`,
  "a function with attributes": (body) => `[[nodiscard]] constexpr int f(int a) ${body}\n`,
  "a kernel": (body) => `__global__ void f(int* a) ${body}\n`
}

for (const path of ["a.cpp", "a.cc", "a.hpp", "a.h", "a.cu"]) {
  describe(`given ${path}`, () => {
    for (const [place, put] of Object.entries(places)) {
      const headed = (body: string) => {
        const text = put(body)
        return { text, head: text.split("\n").findIndex((line) => /\bf\b.*(?:[({]|$)/.test(line)) + 1 }
      }

      it(`when ${place} does nothing, then it is empty, by its signature and as a whole`, async () => {
        for (const body of stubs) {
          const { head, text } = headed(body)
          assert.isNotNull((await judged(path, text, head)).empty, text)
          assert.isNotNull((await judged(path, text, [1, text.trimEnd().split("\n").length])).empty, text)
        }
      })

      it(`when ${place} does something, then it is none`, async () => {
        for (const body of real) {
          const { head, text } = headed(body)
          const { empty } = await judged(path, text, head)
          assert.isNull(empty, `${text}: ${empty}`)
        }
      })
    }
  })
}

describe("given C++ that needs no body", () => {
  it("when it is judged, then nothing is empty", async () => {
    const text = `int add(int a, int b);
class Forward;
struct Tag {};
struct Error : std::runtime_error { using std::runtime_error::runtime_error; };
enum class Colour : int { Red };
using Id = int;
template <class T> concept Sized = true;
class Shape {
public:
  Shape() {}
  Shape(const Shape&) {}
  explicit Shape(int x) : x_(x) {}
  Shape(int x, int y) : Base{x}, y_(y) { /* nothing to do */ }
  Shape(Shape&&) = default;
  Shape& operator=(const Shape&) = delete;
  virtual ~Shape() {}
  virtual double area() const = 0;
  double scaled(double by) const;
private:
  int x_;
};
Shape::Shape() {}
Shape::Shape(int x) : x_(x) {}
Shape::~Shape() {}
template <class T> Box<T>::Box() {}
static void noop() {}
`
    const found = await verdicts("shapes.h", text)
    assert.deepStrictEqual(
      Object.entries(found).filter(([, empty]) => empty !== null),
      []
    )
    assert.containsAllKeys(found, ["add", "Tag", "Colour", "Id", "Shape.Shape", "Shape.area", "Shape::~Shape", "noop"])
    assert.isNull((await judged("shapes.h", text, 16)).empty)
  })

  it("when a constructor or destructor has something to do and says so, then it is empty", async () => {
    for (const member of [
      "A() { /* TODO */ }",
      "A(int x) {}",
      'A() { throw std::logic_error("not implemented"); }',
      'A() : b_(1) { throw std::logic_error("not implemented"); }',
      "~A() { /* TODO: free */ }"
    ]) {
      const text = `struct A {\n  ${member}\n};\n`
      assert.isNotNull((await judged("a.h", text, 2)).empty, text)
    }
  })
})

describe("given names in C++", () => {
  it("when functions are declared in many ways, then each is named as people say it", async () => {
    const text = `namespace shop {
class LIB_API Cart { int total() const { return n_; } operator bool() const { return n_ > 0; } };
int Cart::size() { return n_; }
}
TEST(CartTest, Adds) { EXPECT_TRUE(add()); }
auto twice = [](int x) { return 2 * x; };
`
    assert.deepStrictEqual(Object.keys(await verdicts("cart.cc", text)), [
      "shop",
      "shop.Cart",
      "shop.Cart.total",
      "shop.Cart.operator bool() const",
      "shop.Cart::size",
      "CartTest.Adds",
      "twice"
    ])
  })

  it("when a macro's block in a function is empty, then the function is not", async () => {
    const text = "void f() {\n  LIB_TRY {\n    g();\n  }\n  LIB_CATCH(...) {}\n}\n"
    assert.isNull((await judged("a.cc", text, [1, 6])).empty)
  })

  it("when a test has only empty sections, then it is empty", async () => {
    const text = (body: string) => `TEST_CASE("cart") {\n  SECTION("adds") {\n    ${body}\n  }\n}\n`
    assert.isNotNull((await judged("a.cc", text("// TODO"), 1)).empty)
    assert.isNull((await judged("a.cc", text("CHECK(add());"), 1)).empty)
  })

  it("when lines hold only includes, usings or comments, then they show nothing", async () => {
    const text = "#include <vector>\nusing namespace std;\n\n// F.\nint f() { return g(); }\n"
    assert.include((await judged("a.cc", text, [1, 2])).empty, "imports")
    assert.include((await judged("a.cc", text, 4)).empty, "comments")
    assert.isNull((await judged("a.cc", text, 5)).empty)
  })

  it("when lines are neutralised, then a trap stands before them and the rest stays", async () => {
    const text = "struct A {\n  int f(int a) {\n    int x = a;\n    return x;\n  }\n};\n"
    const { neutralised } = await outlined("a.cc", text)
    assert.strictEqual(neutralised({ start: 2, end: 5 }), text.replace("    int x", "    __builtin_trap();\n    int x"))
  })

  it("when the name of a test stands on a line of its own, then what follows keeps its lines", async () => {
    const text = 'TEST_CASE(\n    "adds", "[cart]") {\n  CHECK(add());\n}\n\nint f() { return g(); }\n'
    const { declarations } = await outlined("a.cc", text)
    assert.deepStrictEqual(
      declarations.map(({ end, start }) => [start.row, end.row]),
      [
        [0, 3],
        [5, 5]
      ]
    )
  })
})
