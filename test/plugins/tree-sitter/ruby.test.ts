import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs: ReadonlyArray<ReadonlyArray<string>> = [
  [],
  [""],
  ["# TODO"],
  ["# Checks the password."],
  ["nil"],
  ["(nil)"],
  ["return"],
  ["return nil"],
  ["return(nil)"],
  ["return nil, nil"],
  ["# TODO: implement", "nil"],
  ["nil # TODO"],
  ["raise NotImplementedError"],
  ["raise ::NotImplementedError"],
  ["raise(NotImplementedError)"],
  ["fail NotImplementedError"],
  ['raise NotImplementedError, "#{self.class} must implement f"'],
  ['raise NotImplementedError.new("f")'],
  ["raise Errors::NotImplementedYet, a"],
  ['raise "not implemented"'],
  ["raise 'TODO: implement login'"],
  ['raise ArgumentError, "not implemented"'],
  ['raise StandardError.new("not implemented")'],
  ['raise "f is " \\', '  "not implemented"'],
  ["raise Oops, <<~TEXT", "  not implemented", "TEXT"],
  ["raise NotImplementedError unless a"],
  ['puts "TODO"'],
  ['puts "not implemented: #{a}"', "nil"],
  ['warn("not implemented")'],
  ['Rails.logger.warn "not implemented"', "return"],
  ['$stderr.puts "TODO"'],
  ['abort "not implemented"'],
  ["head :not_implemented"],
  ['render json: { error: "x" }, status: :not_implemented'],
  ["not_implemented!"],
  ["skip"],
  ['pending "not implemented"'],
  [":not_implemented"],
  ['"TODO"'],
  ['return "not implemented"'],
  ["_ = a", "nil"],
  ["if a", "  nil", "elsif b", "  raise NotImplementedError", "else", "  return", "end"],
  ["case a", "when 1 then nil", "else nil", "end"],
  ["case a", "in [b] if b then nil", "end"],
  ["begin", "  nil", "rescue A, B => e", "  raise NotImplementedError", "ensure", "  nil", "end"],
  ["return if a", "raise NotImplementedError"],
  ["def inner; end"],
  ["true # TODO"],
  ["nil", "[] # placeholder"]
]

/** Bodies that do something, however little. */
const real: ReadonlyArray<ReadonlyArray<string>> = [
  ["a"],
  ["@a"],
  ["@a = a"],
  ["@a ||= {}"],
  ["true"],
  ["0"],
  ['""'],
  ["[]"],
  ["{}"],
  [":ok"],
  ["return false"],
  ['"todo"'],
  ["super"],
  ["self"],
  ["yield"],
  ["yield a"],
  ['require "json"'],
  ["a.nil?"],
  ["a or nil"],
  ["# TODO: faster", "a + 1"],
  ["return nil if a", "a.b"],
  ["a.each { |b| }"],
  ["a.each do |b|", "end"],
  ["a.b", "nil"],
  ["a&.b"],
  ['raise "no such user"'],
  ['raise ArgumentError, "no such #{a}"'],
  ["raise"],
  ['puts "hello"'],
  ['puts "<i class=\\"not_implemented\\">#{a}</i>"'],
  ["begin", "  a.b", "rescue StandardError", "  nil", "end"],
  ["def inner; end", "inner"],
  ["_ = connect(a)"]
]

const indented = (lines: ReadonlyArray<string>, by: string): string => lines.map((line) => `${by}${line}\n`).join("")

/** Where a body may stand. */
const places: Readonly<Record<string, (body: ReadonlyArray<string>) => string>> = {
  "a method": (body) => `def f(a)\n${indented(body, "  ")}end\n`,
  "a method without parentheses": (body) => `def f a\n${indented(body, "\t")}end\n`,
  "a method of a class": (body) => `class C < B\n  def f(a, *b, c: 1, &d)\n${indented(body, "    ")}  end\nend\n`,
  "a method of a module": (body) => `module M::N\n  def f(a)\n${indented(body, "    ")}  end\nend\n`,
  "a method with Windows line ends": (body) => `def f(a)\n${indented(body, "  ")}end\n`.replaceAll("\n", "\r\n"),
  "a private method": (body) => `class C < B\n  private def f(a)\n${indented(body, "    ")}  end\nend\n`,
  "a singleton method": (body) => `class C < B\n  def self.f(a)\n${indented(body, "    ")}  end\nend\n`,
  "a method of the singleton class": (body) =>
    `class C < B\n  class << self\n    def f(a)\n${indented(body, "      ")}    end\n  end\nend\n`,
  "a method of a struct": (body) => `C = Struct.new(:a) do\n  def f(a)\n${indented(body, "    ")}  end\nend\n`,
  "a test": (body) => `RSpec.describe C do\n  it "f" do\n${indented(body, "    ")}  end\nend\n`,
  "a route": (body) => `get "/f" do\n${indented(body, "  ")}end\n`,
  "a task": (body) => `task "f" => [:g] do |t|\n${indented(body, "  ")}end\n`,
  "a defined method": (body) => `define_method("f") do |a|\n${indented(body, "  ")}end\n`,
  "a lambda": (body) => `f = lambda do |a|\n${indented(body, "  ")}end\n`,
  "an arrow": (body) => `f = ->(a) do\n${indented(body, "  ")}end\n`
}

const lineOf = (text: string): number => text.split("\n").findIndex((line) => /\bf\b/.test(line)) + 1

describe("given Ruby", () => {
  for (const [place, put] of Object.entries(places)) {
    it(`when ${place} does nothing, then it is empty, by its first line`, async () => {
      const passed: Array<string> = []
      for (const body of stubs) {
        const text = put(body)
        const { declaration, empty } = await judged("a.rb", text, lineOf(text))
        if (empty === null || !/\bf\b/.test(declaration?.name ?? "")) passed.push(text)
      }
      assert.deepStrictEqual(passed, [])
    })

    it(`when ${place} does something, then it is none`, async () => {
      const refused: Array<string> = []
      for (const body of real) {
        const text = put(body)
        const { empty } = await judged("a.rb", text, lineOf(text))
        if (empty !== null) refused.push(`${text}: ${empty}`)
      }
      assert.deepStrictEqual(refused, [])
    })
  }

  it("when a method is on one line, then it is judged all the same", async () => {
    for (const text of [
      "def f; end",
      "def f(a); nil; end",
      "def f(a) = nil",
      "def f = raise(NotImplementedError)",
      "def f(a) = raise NotImplementedError",
      'def f() = puts("TODO")',
      "f = ->(a) { }",
      "f = proc { |a, b = 1| }",
      "f = Proc.new { nil }",
      'it("f") { }',
      "before { }",
      "define_method(:f) { |a| nil }"
    ])
      assert.isNotNull((await judged("a.rb", `${text}\n`, 1)).empty, text)
    for (const text of [
      "def f(a) = a",
      "def f = 1",
      "def f; g; end",
      "f = ->(a) { a }",
      "noop = -> { }",
      "def noop; end",
      "before { g }",
      "let(:f) { nil }"
    ])
      assert.isNull((await judged("a.rb", `${text}\n`, 1)).empty, text)
  })

  it("when an example has no block, then it is pending", async () => {
    const text = 'describe "cart" do\n  it "adds"\n  it "removes" do\n    expect(1).to eq 1\n  end\nend\n'
    assert.isNotNull((await judged("a_spec.rb", text, 2)).empty)
    assert.isNull((await judged("a_spec.rb", text, [3, 5])).empty)
  })

  it("when only some examples of a group are empty, then those are named", async () => {
    const text = 'describe "cart" do\n  it "adds" do\n    add\n  end\n  it "removes" do\n  end\nend\n'
    assert.include((await judged("a_spec.rb", text, [2, 6])).empty, "removes")
    assert.notInclude((await judged("a_spec.rb", text, [2, 6])).empty, "adds")
    assert.isNull((await judged("a_spec.rb", text, 2)).empty)
  })

  it("when methods are named, then it is as people say them", async () => {
    const text = `module A
  class B::C
    def ==(other) = other
    def x=(value)
      @x = value
    end
    def x? = @x
    def self.make = new
    def D.make = new
  end
end
`
    assert.deepStrictEqual(Object.keys(await verdicts("a.rb", text)), [
      "A",
      "A.B::C",
      "A.B::C.==",
      "A.B::C.x=",
      "A.B::C.x?",
      "A.B::C.make",
      "A.B::C.D.make"
    ])
  })

  it("when it needs no body, then nothing is empty", async () => {
    const text = `
require "json"
class StoreError < StandardError; end
class Timeout < StoreError
end
Missing = Class.new(StoreError)
Gone = Class.new(StoreError) do
end
Point = Struct.new(:x, :y)
Size = Data.define(:w) do
end
class Plain
  include Comparable
  attr_reader :a
  alias b a
  def initialize
  end
  def noop; end
end
class Other
  def initialize() end
  sig { abstract.params(a: String).void }
  def f(a); end
end
`
    const found = await verdicts("a.rb", text)
    assert.deepStrictEqual(
      Object.entries(found).filter(([, empty]) => empty !== null),
      []
    )
    assert.containsAllKeys(found, ["StoreError", "Gone", "Plain.initialize", "Other.f"])
  })

  it("when a constructor is left undone, or ignores what it is given, then it is empty", async () => {
    for (const body of [
      "def initialize(a); end",
      "def initialize\n# TODO\nend",
      "def initialize = raise(NotImplementedError)"
    ])
      assert.isNotNull((await verdicts("a.rb", `class A\n${body}\nend\n`))["A.initialize"], body)
  })

  it("when a class or a module has no members, then it is empty", async () => {
    assert.isNotNull((await verdicts("a.rb", "class A\nend\n"))["A"])
    assert.isNotNull((await verdicts("a.rb", "module A; end\n"))["A"])
    assert.isNull((await verdicts("a.rb", "class A\n  attr_reader :a\nend\n"))["A"])
  })

  it("when only what surrounds code is cited, then it says so", async () => {
    const text = '# frozen_string_literal: true\n\nrequire "json"\n=begin\nabout\n=end\ndef f\n  1\nend\n'
    assert.include((await judged("a.rb", text, 1)).empty, "comments")
    assert.include((await judged("a.rb", text, 3)).empty, "imports")
    assert.include((await judged("a.rb", text, [4, 6])).empty, "comments")
    assert.include((await judged("a.rb", text, 9)).empty, "brackets")
    assert.isNull((await judged("a.rb", text, 8)).empty)
  })

  it("when a signature stands above a method, then it belongs to it", async () => {
    const text = "class A\n  sig { params(a: Integer).void }\n  def f(a)\n  end\nend\n"
    assert.include((await judged("a.rb", text, 2)).empty, "A.f")
  })

  it("when a file has no extension, then its name or its first line says what it is", async () => {
    for (const path of ["Rakefile", "Gemfile", "config.ru", "a.gemspec", "lib/tasks/a.rake"])
      assert.strictEqual((await outlined(path, "a\n")).language, "ruby", path)
    assert.strictEqual((await outlined("bin/tool", "#!/usr/bin/env ruby\na\n")).language, "ruby")
  })

  it("when lines are made to fail, then the failing statement comes first in the method", async () => {
    const block = await outlined("a.rb", "def f(a)\n  # Does it.\n  a.b\nend\n")
    assert.strictEqual(
      block.neutralised({ start: 1, end: 1 }),
      'def f(a)\n  # Does it.\n  raise "neutralised";\n  a.b\nend\n'
    )
    const endless = await outlined("a.rb", "def f(a) = a.b\n")
    assert.strictEqual(endless.neutralised({ start: 1, end: 1 }), 'def f(a) = (raise "neutralised")\n')
  })
})
