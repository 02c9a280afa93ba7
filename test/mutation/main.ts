/**
 * Mutation testing: how many small changes of the rules in `core`, `modules` and `policies` the tests notice. One change
 * takes about a second on two processors, so a sample of the lines is drawn. Works on a copy of the checkout, for it rewrites the sources.
 * `main.ts [--lines N] [--seed TEXT] [FILE]…`: of these files all lines.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { randomOf } from "../bench/emptiness/random.ts"

const tool = ["@stryker-mutator/core@10.1.1", "@stryker-mutator/vitest-runner@10.1.1"]
const roots = ["packages/kernel/src/core", "packages/kernel/src/modules", "packages/plugins/src/policies"]
/** Lines that are drawn together. */
const stretch = 12

const project = new URL("../..", import.meta.url).pathname

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { lines: { type: "string", default: "720" }, seed: { type: "string", default: "1" } }
})

const tracked = (...paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", ...paths], {
    cwd: project,
    encoding: "utf8",
    maxBuffer: 2 ** 26
  })
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(project, path)))

/** Stretches of the sources, as `file:first-last`, every line as likely as any other. */
const drawn = (count: number): ReadonlyArray<string> => {
  const all = tracked(...roots)
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => {
      const lines = readFileSync(join(project, path), "utf8").split("\n").length
      return Array.from(
        { length: Math.floor(lines / stretch) },
        (_, i) => `${path}:${i * stretch + 1}-${(i + 1) * stretch}`
      )
    })
  const random = randomOf(values.seed)
  const chosen = new Set<string>()
  while (chosen.size < Math.min(count, all.length)) chosen.add(all[Math.floor(random() * all.length)] ?? "")
  return [...chosen].sort()
}

const mutate = positionals.length > 0 ? positionals : drawn(Math.ceil(Number(values.lines) / stretch))
const copy = mkdtempSync(join(tmpdir(), "proofline-mutation-"))
try {
  for (const path of tracked()) cpSync(join(project, path), join(copy, path), { verbatimSymlinks: true })
  cpSync(join(project, "node_modules"), join(copy, "node_modules"), { recursive: true, verbatimSymlinks: true })
  const npm = join(dirname(process.execPath), "npm")
  execFileSync(
    existsSync(npm) ? npm : "npm",
    ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", ...tool],
    {
      cwd: copy,
      stdio: ["ignore", "ignore", "inherit"]
    }
  )
  const settings = {
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    mutate,
    // in a sandbox of its own the tests would find the packages as they are, through the links of the workspace
    inPlace: true,
    vitest: { configFile: "test/mutation/vitest.config.ts", dir: "test", related: false },
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    // messages and prompts are no rules
    mutator: { excludedMutations: ["StringLiteral"] },
    concurrency: Math.max(1, Math.min(4, availableParallelism())),
    checkers: [],
    dryRunTimeoutMinutes: 30,
    reporters: ["clear-text"],
    clearTextReporter: { allowColor: false, reportTests: false }
  }
  writeFileSync(join(copy, "stryker.json"), JSON.stringify(settings))
  const { status } = spawnSync(join(copy, "node_modules/.bin/stryker"), ["run", "stryker.json"], {
    cwd: copy,
    stdio: "inherit"
  })
  process.exitCode = status ?? 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}
