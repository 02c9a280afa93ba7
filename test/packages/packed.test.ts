import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Manifest } from "../architecture/sources.ts"
import { hasTurn } from "../often.ts"
import { asOfSomebodyElse, emptyHome, type Packed, pack, run } from "./program.ts"

/**
 * `@proofline/kernel` and `@proofline/plugins` as they would be published: packed from a copy of the checkout that was
 * never built, installed into an empty project of somebody whose home is empty.
 */

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Examples for authors of plugins. Each is type-checked, and loaded as Proofline loads it; `examples.ts` runs them. */
const examples = readdirSync(join(root, "examples", "plugins")).map((name) => join("examples", "plugins", name))

const base = mkdtempSync(join(tmpdir(), "proofline-packed-"))
const home = join(base, "home")
const project = join(base, "project")
afterAll(() => rmSync(base, { recursive: true, force: true }))

const published = ["kernel", "plugins"]
const copied = [...published, "cli"]

type Exports = Readonly<Record<string, { readonly types: string; readonly default: string }>>

interface PublishedManifest extends Manifest {
  readonly license: string
  readonly exports: Exports
}

/** The sources with everything that a build of them needs, and nothing that was built. */
const copyOfSources = (into: string): string => {
  const copy = join(base, into)
  for (const name of copied) {
    cpSync(join(root, "packages", name), join(copy, "packages", name), {
      recursive: true,
      filter: (path) => !["dist", "node_modules"].includes(basename(path))
    })
    // what npm installed for this package alone
    const own = join(root, "packages", name, "node_modules")
    if (existsSync(own)) symlinkSync(own, join(copy, "packages", name, "node_modules"))
  }
  for (const file of ["tsconfig.base.json", "packages/modes.ts"]) cpSync(join(root, file), join(copy, file))
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

const install = (packed: ReadonlyArray<Packed>, env: NodeJS.ProcessEnv): void => {
  const { devDependencies }: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const tools = ["typescript", "@types/node"].map((name) => `${name}@${devDependencies?.[name]}`)
  const tarballs = packed.map(({ filename }) => join(base, filename))
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs, "effect", ...tools]
  try {
    run(project, "npm", args, env)
  } catch {
    // a registry that did not answer is asked once more: it is not what is tested
    run(project, "npm", args, env)
  }
}

const installed = (name: string) => join(project, "node_modules", "@proofline", name)

const manifestOf = (name: string): PublishedManifest =>
  JSON.parse(readFileSync(join(installed(name), "package.json"), "utf8"))

/** Every name that can be imported; a `*` stands for each folder that is there. */
const importable = (name: string): ReadonlyArray<string> =>
  Object.entries(manifestOf(name).exports).flatMap(([path, { default: file }]) => {
    const folders = path.includes("*") ? readdirSync(join(installed(name), file.slice(0, file.indexOf("*")))) : [""]
    return folders.map((folder) => `@proofline/${name}${path.slice(1).replace("*", folder)}`)
  })

const tsconfig = {
  // as strict as it gets: the declarations of the packages are checked too
  compilerOptions: {
    target: "ES2024",
    module: "NodeNext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ["node"]
  },
  include: ["*.ts"]
}

describe.runIf(hasTurn(0, 4))("the packages, packed and installed into an empty project", () => {
  let packed: ReadonlyArray<Packed> = []
  let env: NodeJS.ProcessEnv = {}
  let copy = ""

  beforeAll(() => {
    for (const directory of [home, project]) mkdirSync(directory)
    env = emptyHome(root, home)
    copy = copyOfSources("sources")
    packed = published.map((name) => pack(join(copy, "packages", name), base, env))
    install(packed, env)
    cpSync(fileURLToPath(new URL("consumer", import.meta.url)), project, { recursive: true })
    for (const example of examples) cpSync(join(root, example), join(project, basename(example)))
    const everything = published.flatMap(importable)
    writeFileSync(join(project, "every.ts"), everything.map((name, i) => `export * as m${i} from "${name}"\n`).join(""))
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify(tsconfig))
    // a registry may be slow, which is not what is tested
  }, 1_200_000)

  /** A program of the project, with two directories of its own: a project to work on, and one for what it keeps. */
  const node = (file: string): string => {
    const directories = ["work", "state"].map((name) => join(base, `${file}.${name}`))
    for (const directory of directories) mkdirSync(directory)
    return run(project, process.execPath, [file, ...directories], env)
  }

  it("are the same, byte for byte, when somebody else packs the kernel elsewhere", () => {
    const other = join(copyOfSources("others"), "packages")
    asOfSomebodyElse(other)
    // TypeScript 7 does not always write the groups of the HTTP API in one order into the declarations of the plugins
    const [first] = packed
    assert.strictEqual(first?.name, "@proofline/kernel")
    assert.strictEqual(pack(join(other, "kernel"), other, env, "077").integrity, first?.integrity)
  })

  it("hold what was built, the grammars, the licence, and nothing else", () => {
    for (const { files, name } of packed) {
      const paths = files.map(({ path }) => path)
      assert.includeMembers(paths, ["LICENSE", "README.md", "package.json"], name)
      const built = paths.filter((path) => path.startsWith("dist/"))
      assert.strictEqual(built.length, paths.length - 3, name)
      assert.deepStrictEqual(
        built.filter((path) => !/\.(?:js|d\.ts|wasm\.br|query\.br|cjs\.br)$/.test(path) || path.includes(".test.")),
        [],
        name
      )
      assert.sameMembers(
        built.filter((path) => path.endsWith(".d.ts")).map((path) => path.replace(".d.ts", "")),
        built.filter((path) => path.endsWith(".js")).map((path) => path.replace(".js", "")),
        name
      )
    }
    const grammars = packed.flatMap(({ files }) => files.filter(({ path }) => path.endsWith(".wasm.br")))
    assert.isAbove(grammars.length, 15)
  })

  it("say what they are and what they export, each file of which is there", () => {
    for (const name of published) {
      const { exports, license } = manifestOf(name)
      assert.strictEqual(license, "MIT")
      const files = packed.find((one) => one.name === `@proofline/${name}`)?.files.map(({ path }) => `./${path}`)
      for (const { default: code, types } of Object.values(exports)) {
        for (const file of [code, types]) {
          const [before = "", after] = file.split("*")
          assert.isTrue(
            files?.some((path) => path.startsWith(before) && path.endsWith(after ?? before)),
            file
          )
        }
      }
    }
  })

  it("share one copy of effect and of the kernel with the project", () => {
    const tree = run(project, "npm", ["ls", "--all", "--parseable", "effect", "@proofline/kernel"], env)
    assert.sameMembers(
      tree
        .trim()
        .split("\n")
        .map((path) => path.split("node_modules/").slice(1).join(" in ")),
      ["effect", "@proofline/kernel"]
    )
  })

  it("load in Node without a build step, whatever they export", () => {
    assert.isAbove(published.flatMap(importable).length, 25)
    node("every.ts")
  })

  it("run tasks in memory from plain JavaScript, and judge their evidence", () => {
    assert.deepStrictEqual(JSON.parse(node("run.mjs")), {
      status: "incomplete",
      ended: [
        ["honest", "proven"],
        ["hollow", "refuted"]
      ]
    })
  })

  it("run a plugin written in TypeScript", () => {
    assert.deepStrictEqual(JSON.parse(node("run.ts")), {
      events: ["RUN_STARTED", "TASK_REGISTERED", "TASK_REGISTERED"],
      feature: [
        ["first", "completed"],
        ["second", "completed"]
      ],
      release: [
        ["first", "completed"],
        ["second", "failed"]
      ]
    })
  })

  it("are what a plugin of the project imports, also when Proofline runs from its sources", () => {
    const task = { id: "a", name: "a", instruction: "Do a.", checks: ["test -e made"] }
    writeFileSync(join(project, "proofline.yaml"), "plugins: [./freeze.ts]\n")
    writeFileSync(join(project, "tasks.yaml"), JSON.stringify({ tasks: [task] }))
    const launcher = join(copy, "packages", "cli", "bin", "proofline.cjs")
    const agent = ["--agent", "command", "--agent-command", "touch made"]
    const { data } = JSON.parse(
      run(project, process.execPath, [launcher, "run", "tasks.yaml", "--json", ...agent], env)
    )
    assert.strictEqual(data.status, "completed")
    const log = new DatabaseSync(join(project, ".proofline/state/proofline.db"), { readOnly: true })
    const started = log.prepare("select content from event where event_type = 'RUN_STARTED'").all()
    log.close()
    assert.match(JSON.stringify(started.map(({ content }) => JSON.parse(`${content}`))), /"name":"freeze"/)
  })

  it("run every example for authors of plugins", () => {
    assert.isAbove(examples.length, 6)
    assert.deepStrictEqual(JSON.parse(node("examples.ts")), {
      composed: examples.length,
      frozen: ["VERIFICATION_RUN", "GATE_REFUSED", "TASK_FAILED", "RUN_FAILED"],
      approved: ["TASK_APPROVED", "TASK_COMPLETED", "RUN_COMPLETED"],
      poll: "completed",
      open_items: { items: [{ task_id: "t", item: "one" }] }
    })
  })

  it("have complete declarations: the project type-checks, and they with it", () => {
    const tsc = join(project, "node_modules", "typescript", "bin", "tsc")
    run(project, process.execPath, [tsc, "-p", ".", "--checkers", "1"], env)
  })
})
