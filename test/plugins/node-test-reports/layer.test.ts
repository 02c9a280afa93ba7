import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layer } from "@proofline/plugins/adapters/node-test-reports"
import { TestReports } from "@proofline/plugins/ports"
import { Effect, Exit } from "effect"

const project = Effect.acquireRelease(
  Effect.sync(() => {
    const outside = mkdtempSync(join(tmpdir(), "test-reports-"))
    const directory = join(outside, "project")
    mkdirSync(directory)
    const write = (path: string, text = path) => {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
    return { outside, directory, write }
  }),
  ({ outside }) => Effect.sync(() => rmSync(outside, { recursive: true }))
)

interface Around {
  readonly directory: string
  readonly command?: string
  readonly patterns?: ReadonlyArray<string>
}

const around = <A, E>({ command = "npm test", directory, patterns = [] }: Around, run: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const reports = yield* TestReports
    return yield* reports.around({ directory, command, patterns }, run)
  }).pipe(Effect.provide(layer))

describe("reports that a command writes", () => {
  it.effect.each<readonly [command: string, patterns: ReadonlyArray<string>, path: string]>([
    ["npm test", [], "junit.xml"],
    ["npm test", [], "junit-unit.xml"],
    ["npm test", [], "test-report.json"],
    ["npm test", [], "test-results.xml"],
    ["npm test", [], "TEST-calc.xml"],
    ["npm test", [], "report.xml"],
    ["npm test", [], ".report.json"],
    ["npm test", [], "test-results/a.xml"],
    ["npm test", [], "reports/unit/a.json"],
    ["npm test", [], ".vitest/json/output.json"],
    ["mvn test", [], "target/surefire-reports/TEST-calc.xml"],
    ["gradle test", [], "build/test-results/test/TEST-calc.xml"],
    ["cd web && npm test", [], "web/junit.xml"],
    ["npm --prefix web test", [], "web/test-results/a.xml"],
    ["pytest --junitxml=out/here.xml", [], "out/here.xml"],
    ["pytest --junit-xml out/here", [], "out/here"],
    ["jest --json --outputFile=out.json", [], "out.json"],
    ["vitest run --reporter=junit --outputFile.junit=out/v.xml", [], "out/v.xml"],
    ["cd web && pytest --json-report-file=out/r.json", [], "web/out/r.json"],
    ["node --test --test-reporter=tap --test-reporter-destination=out.tap", [], "out.tap"],
    ["phpunit --log-junit build/log", [], "build/log"],
    ["rspec -f json -o x.json && sh -c 'phpunit -o y.xml'", [], "y.xml"],
    ["calc_test --gtest_output=xml:out/g.xml", [], "out/g.xml"],
    ["make", ["out/**/*.xml"], "out/a/b/c.xml"],
    ["make", ["./out/*.log"], "out/a.log"],
    ["make", ["exact.txt"], "exact.txt"],
    ["make", ["{a,b}/results/*.xml"], "b/results/x.xml"]
  ])("given %s and globs %s, then %s is found", ([command, patterns, path]) =>
    Effect.gen(function* () {
      const { directory, write } = yield* project
      const [, files] = yield* around(
        { directory, command, patterns },
        Effect.sync(() => write(path))
      )
      assert.deepStrictEqual(files, [{ path, text: path }])
    })
  )

  it.effect("given files that lay there, then only those that are changed, replaced or new are answered", () =>
    Effect.gen(function* () {
      const { directory, write } = yield* project
      const then = new Date("2026-01-01T00:00:00Z")
      for (const name of ["same", "longer", "touched", "replaced", "removed"]) {
        write(`reports/${name}.xml`, "old")
        utimesSync(join(directory, `reports/${name}.xml`), then, then)
      }
      const [answer, files] = yield* around(
        { directory },
        Effect.sync(() => {
          const at = (name: string) => join(directory, "reports", name)
          write("reports/longer.xml", "older")
          utimesSync(at("longer.xml"), then, then)
          utimesSync(at("touched.xml"), then, new Date("2026-01-02T00:00:00Z"))
          write("reports/part", "new")
          utimesSync(at("part"), then, then)
          renameSync(at("part"), at("replaced.xml"))
          rmSync(at("removed.xml"))
          write("reports/fresh.xml", "new")
          write("reports/fresh.txt", "no report")
          write("other.xml", "nobody speaks of it")
          write("reports/too/deep/down.xml", "too deep")
          return "its answer"
        })
      )
      assert.strictEqual(answer, "its answer")
      assert.deepStrictEqual(files.map(({ path, text }) => `${path} ${text}`).toSorted(), [
        "reports/fresh.xml new",
        "reports/longer.xml older",
        "reports/replaced.xml new",
        "reports/touched.xml old"
      ])
    })
  )

  it.effect("given links and paths that lead out of the directory, then they are not followed", () =>
    Effect.gen(function* () {
      const { directory, outside, write } = yield* project
      mkdirSync(join(outside, "elsewhere"))
      symlinkSync(join(outside, "elsewhere"), join(directory, "reports"))
      const [, files] = yield* around(
        {
          directory,
          command: "pytest --junitxml=../elsewhere/b.xml",
          patterns: ["../elsewhere/*.xml", "reports/*.xml"]
        },
        Effect.sync(() => {
          for (const name of ["a.xml", "b.xml", "c.xml"]) writeFileSync(join(outside, "elsewhere", name), "secret")
          symlinkSync(join(outside, "elsewhere", "c.xml"), join(directory, "junit.xml"))
          write("kept/real.xml", "within")
          symlinkSync(join(directory, "kept", "real.xml"), join(directory, "report.xml"))
        })
      )
      assert.deepStrictEqual(files, [{ path: "report.xml", text: "within" }])
    })
  )

  it.effect("given what cannot be read as a report, then it is left out and nothing breaks", () =>
    Effect.gen(function* () {
      const { directory, write } = yield* project
      const [, files] = yield* around(
        { directory, patterns: ["[", "", "**", "/etc/*"] },
        Effect.sync(() => {
          mkdirSync(join(directory, "junit.xml"))
          write("report.xml", "")
          truncateSync(join(directory, "report.xml"), 32 * 1024 * 1024 + 1)
          symlinkSync("nowhere", join(directory, "TEST-a.xml"))
          write("TEST-b.xml", "fine")
        })
      )
      assert.deepStrictEqual(files, [{ path: "TEST-b.xml", text: "fine" }])
      const [, none] = yield* around({ directory: join(directory, "gone") }, Effect.void)
      assert.deepStrictEqual(none, [])
    })
  )

  it.effect("given a command that fails, then its failure is passed on", () =>
    Effect.gen(function* () {
      const { directory } = yield* project
      const exit = yield* Effect.exit(around({ directory }, Effect.fail("broken")))
      assert.deepStrictEqual(exit, Exit.fail("broken"))
    })
  )
})
