import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { importsOf, type Manifest, type Source, sourcesOf, tokensOf } from "./sources.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const sources = sourcesOf(
  root,
  "packages/kernel/src",
  "packages/plugins/src",
  "packages/cli/src",
  "packages/cli/build.ts",
  "packages/cli/docs",
  "packages/ui/src"
)

/** One sentence for every name of the world that a source reaches for. */
const impureNames = ({ path, text }: Source): ReadonlyArray<string> => {
  const tokens = tokensOf(text).filter(({ kind }) => kind !== "comment")
  return tokens.flatMap(({ kind, line, text }, i) => {
    const before = tokens[i - 1]?.text
    const after = tokens[i + 1]?.text
    if (kind !== "word" || before === ".") return []
    if (text === "Math")
      return after === "." && tokens[i + 2]?.text === "random" ? [`${path}:${line}: Math.random`] : []
    // a key or a field of that name is none of the world's
    return worldly.has(text) && after !== ":" ? [`${path}:${line}: ${text}`] : []
  })
}

const worldly = new Set([
  "Date",
  "crypto",
  "process",
  "performance",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "fetch",
  "globalThis",
  "Bun",
  "Deno"
])

/** One sentence for every value of `effect` that runs something; types leave nothing behind. */
const effectValues = ({ path, text }: Source): ReadonlyArray<string> => {
  const tokens = tokensOf(text).filter(({ kind }) => kind !== "comment")
  return tokens.flatMap(({ kind, line, text }, i) =>
    kind === "word" &&
    running.has(text) &&
    tokens[i + 1]?.text === "." &&
    tokens[i - 1]?.text !== "." &&
    isValue(tokens[i + 3]?.text)
      ? [`${path}:${line}: ${text}`]
      : []
  )
}

const running = new Set(["Effect", "Layer", "Clock", "Random", "Fiber", "Schedule", "Runtime", "DateTime"])
/** `Effect.Effect<…>` is a type, `Effect.map(…)` is not. */
const isValue = (after: string | undefined): boolean => after !== "<"

const isPolicy = ({ path }: Source) => path.startsWith("packages/plugins/src/policies/")
/** What answers agents and people: it asks the engine, and no replay runs it again. */
const isService = ({ path }: Source) => /\/policies\/(?:attempts|oversight|sessions)\/(?!rules\/)/.test(path)
/** What an activity does in the world; `readFacts.ts` is shared by the one of the run and the command that only looks. */
const isActivity = ({ path }: Source) => /\/(?:activities|readFacts|generatorsAndVerifiers|commandRun)\.ts$/.test(path)
const isModule = ({ path }: Source) => path.startsWith("packages/kernel/src/modules/")
/** What modules offer to the activities of plugins, and to whoever drives a run. */
const isHelpOfActivities = ({ path }: Source) => /\/(?:askAgent|runDriver|Analyzer)\.ts$/.test(path)
/** What finds the next state from the last one, and what replays it. */
const pureCore = [
  "answerText",
  "compose",
  "contract",
  "define",
  "manifest",
  "replay",
  "step",
  "strict",
  "view",
  "words"
]

/** The rules of the game: everything that a replay runs again. */
const pure = sources.filter(
  (source) =>
    (isModule(source) && !isHelpOfActivities(source)) ||
    (isPolicy(source) && !isService(source) && !isActivity(source)) ||
    source.path.startsWith("packages/kernel/src/view/") ||
    source.path.startsWith("packages/kernel/src/base/") ||
    pureCore.some((name) => source.path === `packages/kernel/src/core/${name}.ts`)
)

describe("the rules of the game", () => {
  it("are there to be looked at", () => {
    assert.isAbove(pure.filter(isModule).length, 25)
    assert.isAbove(pure.filter(isPolicy).length, 40)
  })

  it("reach for no clock, no chance, no timer and no process", () => {
    assert.deepStrictEqual(pure.flatMap(impureNames), [])
  })

  it("run no effect; a policy's plugin.ts only wires its activities", () => {
    const ruling = pure.filter(({ path }) => !path.endsWith("/plugin.ts"))
    assert.deepStrictEqual(ruling.flatMap(effectValues), [])
  })
})

describe("every source", () => {
  it("leaves the console alone", () => {
    const found = sources.flatMap(({ path, text }) => {
      const tokens = tokensOf(text).filter(({ kind }) => kind !== "comment")
      return tokens.flatMap(({ kind, line, text }, i) =>
        kind === "word" && text === "console" && tokens[i + 1]?.text === "." ? [`${path}:${line}: console`] : []
      )
    })
    assert.deepStrictEqual(found, [])
  })

  it("fits on 600 lines, but for those that have a reason", () => {
    const long = sources.filter(({ text }) => text.split("\n").length > 600).map(({ path }) => path)
    assert.sameMembers(long, Object.keys(longOnes))
  })

  it("is finished: no comment puts something off", () => {
    const found = sources.flatMap(({ path, text }) =>
      tokensOf(text)
        .filter(({ kind, text }) => kind === "comment" && postponed(text))
        .map(({ line, text }) => `${path}:${line}: ${text}`)
    )
    assert.deepStrictEqual(found, [])
  })

  it("exports only values that another file names", () => {
    assert.deepStrictEqual(unread(sourcesOf(root, "packages", "test", "examples")), [])
  })

  it("is reached from an entry: nothing lies around that nobody loads", () => {
    const reached = reachable(sources, entries())
    assert.deepStrictEqual(
      sources.map(({ path }) => path).filter((path) => !reached.has(path)),
      []
    )
  })
})

/**
 * Exported values whose names stand in no other source. Not types, nor what is a type too: others may infer it. Examples are
 * there to be read.
 */
const unread = (all: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const files = new Map<string, number>()
  for (const { text } of all)
    for (const word of new Set(text.match(/[\w$]+/g))) files.set(word, (files.get(word) ?? 0) + 1)
  return all
    .filter(({ path }) => !path.includes("examples/"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:async )?(?:const|function\*?) ([\w$]+)/gm)]
        .filter(([, name = ""]) => files.get(name) === 1 && !text.match(`export (?:type|interface) ${name} `))
        .map(([, name]) => `${path}: ${name}`)
    )
}

const longOnes: Readonly<Record<string, string>> = {
  "packages/kernel/src/testing/eventLogContract.ts": "one suite, a case after the other"
}

/** At the beginning of a line of a comment; a rule may well speak of such marks. */
const postponed = (comment: string): boolean => /^[\s/*]*(TODO|FIXME|XXX|HACK)\b/m.test(comment)

/** What package.json promises to the outside, what is bundled, started by the launcher in a checkout, or by the page. */
const entries = (): ReadonlyArray<string> => {
  const exported = ["packages/kernel", "packages/plugins"].flatMap((folder) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
    const patterns = Object.values(manifest.exports ?? {}).map(
      (one) => `${folder}/${one["@proofline/source"]?.slice(2)}`
    )
    return patterns.flatMap((pattern) => {
      const fits = new RegExp(`^${pattern.replaceAll(".", "\\.").replace("*", "[^/]+")}$`)
      return sources.map(({ path }) => path).filter((path) => fits.test(path))
    })
  })
  const build = tokensOf(readFileSync(join(root, "packages/cli/build.ts"), "utf8"))
    .filter(({ kind, text }) => kind === "text" && /^src\/.*\.ts$/.test(text))
    .map(({ text }) => `packages/cli/${text}`)
  const packageJson = readFileSync(join(root, "packages/cli/package.json"), "utf8")
  const scripts = [...packageJson.matchAll(/\b(?:src|docs)\/[\w/-]+\.ts/g)].map(([path]) => `packages/cli/${path}`)
  const launcher = readFileSync(join(root, "packages/cli/bin/proofline.cjs"), "utf8")
  const launched = [...launcher.matchAll(/"\.\.\/(src\/[\w/-]+\.ts)"/g)].map(([, path]) => `packages/cli/${path}`)
  const page = readFileSync(join(root, "packages/ui/index.html"), "utf8")
  const shown = [...page.matchAll(/"\.\/(src\/[\w/-]+\.tsx)"/g)].map(([, path]) => `packages/ui/${path}`)
  const workers = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/new URL\("(\.\/[\w-]+\.ts)", import\.meta\.url\)/g)].map(([, file = ""]) =>
      join(dirname(path), file)
    )
  )
  return ["packages/cli/build.ts", ...exported, ...build, ...scripts, ...launched, ...shown, ...workers]
}

const reachable = (all: ReadonlyArray<Source>, from: ReadonlyArray<string>): ReadonlySet<string> => {
  const byPath = new Map(all.map((source) => [source.path, source]))
  const reached = new Set<string>()
  const visit = (path: string): void => {
    const source = byPath.get(path)
    if (source === undefined || reached.has(path)) return
    reached.add(path)
    for (const { specifier } of importsOf(source.text)) {
      if (specifier?.startsWith(".")) visit(join(dirname(path), specifier))
    }
  }
  for (const path of from) visit(path)
  return reached
}

describe("the looking itself", () => {
  const source = (text: string, path = "x.ts"): Source => ({ path, text })

  it("finds names of the world, and only where they mean the world", () => {
    const impure = [
      "const now = Date.now()",
      "const now = new Date(0)",
      "const n = Math.random()",
      "const id = crypto.randomUUID()",
      "const at = performance.now()",
      "const dir = process.cwd()",
      "setTimeout(go, 1)",
      `const text = \`\${Date.now()}\``
    ]
    for (const text of impure) assert.strictEqual(impureNames(source(text)).length, 1, text)
    const fine = [
      "// Date.now()",
      'const text = "Date.now()"',
      "const { x } = { process: 1 }",
      "a.process()",
      "Math.max(1, 2)"
    ]
    for (const text of fine) assert.deepStrictEqual(impureNames(source(text)), [], text)
  })

  it("finds effects that are run, and lets their types pass", () => {
    assert.strictEqual(effectValues(source("export const a = Effect.map(b, c)")).length, 1)
    assert.strictEqual(effectValues(source("const a = Layer.succeed(B, c)")).length, 1)
    assert.deepStrictEqual(effectValues(source("type A = Effect.Effect<void>")), [])
    assert.deepStrictEqual(effectValues(source("// Effect.map(b, c)\nconst a = Result.map(b, c)")), [])
  })

  it("finds what was put off, and lets a rule speak of it", () => {
    for (const text of ["// TODO: later", "/* FIXME */", "/**\n * TODO later\n */", "//TODO"])
      assert.isTrue(postponed(text), text)
    for (const text of ["// a TODO marker is no implementation", "/** Finds TODO and FIXME. */"])
      assert.isFalse(postponed(text))
  })

  it("finds what is exported for nobody", () => {
    const all = [
      source("export const alone = 1\nexport const read = alone\nexport const Both = 1\nexport type Both = 1", "a.ts"),
      source('import { read } from "./a.ts"\nconsole.log(read)', "b.ts"),
      source("export const card = 1", "examples/card.ts")
    ]
    assert.deepStrictEqual(unread(all), ["a.ts: alone"])
  })

  it("finds a file that nobody loads", () => {
    const all = [
      source('import "./b.ts"', "a.ts"),
      source('const c = import("./deep/c.ts")', "b.ts"),
      source("", "deep/c.ts"),
      source('import "./a.ts"', "dead.ts")
    ]
    assert.deepStrictEqual([...reachable(all, ["a.ts"])], ["a.ts", "b.ts", "deep/c.ts"])
  })

  it("begins at entries that exist", () => {
    const all = entries()
    assert.isAbove(all.length, 10)
    for (const path of all) assert.isTrue(existsSync(join(root, path)), path)
  })
})
