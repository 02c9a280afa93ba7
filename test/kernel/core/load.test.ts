import { assert, describe, it } from "@effect/vitest"
import { configurable, definePlugin, loadPlugin, PluginFault, plugin } from "@proofline/kernel"
import { Effect, Result, Schema } from "effect"

const called = (name: string) => definePlugin(plugin(name, { state: null }), { version: "1" })
const one = called("one")

const Options = Schema.Struct({ name: Schema.String, "often?": Schema.optionalKey(Schema.Int) })
const named = configurable(Options, ({ name }) => called(name))

/** The name of what is made of an export, or what is said of it. */
const loaded = (exported: unknown, options?: unknown) => {
  const found = Effect.runSync(Effect.result(loadPlugin("./x.ts", exported as never, options)))
  if (Result.isSuccess(found)) return found.success.name
  assert.instanceOf(found.failure, PluginFault)
  const { plugin: by, problem, where } = found.failure
  return [by, where, problem]
}

describe("a module of a plugin", () => {
  it.each<[string, exported: unknown, options: unknown, name: string]>([
    ["a plugin", one, undefined, "one"],
    ["one with no options", one, {}, "one"],
    ["an effect that makes one", Effect.succeed(one), undefined, "one"],
    ["options and how one is made of them", named, { name: "two" }, "two"],
    [
      "the same by an effect",
      configurable(Options, ({ name }) => Effect.succeed(called(name))),
      { name: "two" },
      "two"
    ],
    ["what needs no option", configurable(Schema.Struct({}), () => one), undefined, "one"]
  ])("may export %s", (_, exported, options, name) => {
    assert.strictEqual(loaded(exported, options), name)
  })

  it.each<[string, exported: unknown, options: unknown, where: string, says: RegExp]>([
    ["options that it does not take", one, { name: "two" }, "with", /^The plugin takes no options\. Remove `with`\.$/],
    ["options for an effect", Effect.succeed(one), { a: 1 }, "with", /takes no options/],
    ["options that do not fit", named, { name: 3 }, "with", /string/],
    ["a field that it does not know", named, { name: "two", nme: "x" }, "with", /nme/],
    ["no options where it needs some", named, undefined, "with", /name/],
    ["what is misspelt beside its options", { ...named, mkae: 1 }, {}, "the export", /has no field `mkae`/],
    ["no schema for its options", { options: {}, make: () => one }, {}, "the export", /`options` to be schema/],
    ["nothing to make it with", { options: Options, make: 3 }, {}, "the export", /`make` to be function/],
    [
      "what breaks",
      configurable(Options, () => {
        throw new Error("boom")
      }),
      { name: "two" },
      "load",
      /^boom$/
    ],
    ["an effect that breaks", Effect.die(new Error("boom")), undefined, "load", /^boom$/],
    ["an effect that fails", Effect.fail(new Error("boom")), undefined, "load", /^boom$/],
    ["an effect that fails with no message", Effect.fail(new Error()), undefined, "load", /^Error$/],
    ["an effect that interrupts itself", Effect.interrupt, undefined, "load", /^It interrupted itself\.$/],
    ["an effect that fails with nothing", Effect.fail(undefined), undefined, "load", /^undefined$/],
    ["a Promise", Promise.resolve(one), undefined, "load", /^It exports a Promise, not a plugin/],
    ["nothing", undefined, undefined, "load", /^It exports undefined, not a plugin of this version/],
    ["null", null, undefined, "load", /^It exports null, not a plugin/],
    ["a function", () => one, undefined, "load", /^It exports function, not a plugin/],
    ["an empty object", {}, undefined, "load", /^It exports an empty object, not a plugin/],
    ["the plugin of another kernel", { name: "one", version: "1" }, undefined, "load", /an object with name, version,/],
    ["options alone", { options: Options }, undefined, "load", /an object with options,/],
    ["an effect that makes none", Effect.succeed({ a: 1 }), undefined, "load", /an object with a,/]
  ])("is refused with its name when it has %s", (_, exported, options, where, says) => {
    const [by, at, problem] = loaded(exported, options)
    assert.deepStrictEqual([by, at], ["./x.ts", where])
    assert.match(String(problem), says)
  })

  it("is told with all that is wrong with its options", () => {
    const [, , problem] = loaded(named, { nme: "x" })
    assert.include(String(problem), "nme")
    assert.include(String(problem), `["name"]`)
  })

  it.each([null, "text", 3])("may be given nothing as options, as %s", (options) => {
    assert.strictEqual(loaded(one, options), "one")
  })
})
