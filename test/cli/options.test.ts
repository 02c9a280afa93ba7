import { existsSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ResumeRequest } from "@proofline/plugins/frontends/http/api"
import {
  asFlags,
  durationMs,
  durationText,
  fileOptions,
  flagName,
  loopOptions,
  type RunOptions,
  resumeOptions,
  retryOptions,
  runOptions,
  splitOptions,
  taskOptions,
  usualText
} from "@proofline/plugins/options"
import { Effect, Schema, Struct } from "effect"
import type { Flag } from "effect/cli"
import { describe, expect, it } from "vitest"
import { how, loop, retry, split } from "../../packages/cli/src/commandLine/flags.ts"
import { documentOf, project, proofline } from "./proofline.ts"

const allFlags: Readonly<Record<string, Flag.Flag<unknown>>> = { ...split(), ...how(), ...loop(), ...retry() }

/** What the flag of an option makes of words of the command line; a failure: code, sentence and what to do. */
const said = (key: string, flags: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Effect.runPromise(
    (allFlags[key] ?? expect.fail(`There is no option ${key}.`)).parse({ arguments: [], flags }).pipe(
      Effect.match({
        onSuccess: ([, value]) => value,
        onFailure: (error) => ("cause" in error ? error.cause : error.message)
      }),
      Effect.provide(NodeServices.layer)
    )
  )

describe("a duration", () => {
  it("given a number and its unit, is so many ms, and is written back in its largest whole unit", () => {
    expect(["90s", "1.5m", "2h", "500ms", "0.1s"].map((text) => durationMs(text))).toEqual([
      90_000, 90_000, 7_200_000, 500, 100
    ])
    expect([90_000, 7_200_000, 500, 60_000, 0].map(durationText)).toEqual(["90s", "2h", "500ms", "1m", "0ms"])
  })

  it("given anything else, nothing, or more than a timer can wait, is none", () => {
    for (const text of ["", "x", "-1s", "1d", "0s", "90", " 90s", "1e3s", "99999h", "2147483648ms"]) {
      expect(durationMs(text), text).toBeUndefined()
    }
    expect(durationMs("0s", 0)).toBe(0)
    expect(durationMs("2147483647ms")).toBe(2_147_483_647)
  })
})

describe("the flag of an option", () => {
  it("given a duration, holds it as the key of the option does", async () => {
    expect(await said("timeout_ms", { timeout: ["90s"] })).toBe(90_000)
    expect(await said("retry_delay_ms", { "retry-delay": ["0s"] })).toBe(0)
    expect(await said("max_duration", { "max-duration": ["90m"] })).toBe("90m")
    expect(await said("idle_timeout_ms", {})).toBeUndefined()
  })

  it("given nothing, says nothing", async () => {
    for (const key of Object.keys(allFlags)) expect(await said(key, {}), key).toBeUndefined()
  })

  it("given a number alone for a duration, is refused with both that it could mean", async () => {
    for (const [key, flag] of [
      ["timeout_ms", "timeout"],
      ["max_duration", "max-duration"]
    ] as const) {
      expect(await said(key, { [flag]: ["90"] })).toMatchObject({
        code: "duration_invalid",
        message: `--${flag} cannot be 90, which has no unit.`,
        hint: "Write 90s or 90ms."
      })
    }
    expect(await said("timeout_ms", { timeout: ["soon"] })).toMatchObject({ code: "duration_invalid" })
  })

  it.each([
    ["-5s", ", which is negative"],
    ["0s", ", which is no time at all"],
    ["99999h", ", which is too long"],
    ["soon", ""]
  ])("given %s for a duration, says what is wrong with it%s", async (value, why) => {
    expect(await said("timeout_ms", { timeout: [value] })).toMatchObject({
      message: `--timeout cannot be "${value}"${why}.`,
      hint: "Write a number and its unit, at most 596h: 500ms, 90s, 30m or 2h."
    })
  })

  it("given a flag of before, takes its number of ms, and refuses what is none", async () => {
    expect(await said("retry_delay_ms", { "retry-delay-ms": ["200"] })).toBe(200)
    expect(await said("retry_delay_ms", { "retry-delay-ms": ["x"] })).toMatchObject({ code: "duration_invalid" })
  })

  it("given words with commas, takes those there are, and tells which one was meant", async () => {
    expect(await said("accept", { accept: ["was_green,untouched", "untouched"] })).toEqual(["untouched", "was_green"])
    expect(await said("accept", { accept: ["untouched, self-reviw"] })).toMatchObject({
      code: "accept_unknown",
      message: '--accept cannot be "self-reviw".',
      hint: expect.stringMatching(/^Did you mean `self_review`\? Known: untouched, .+\.$/)
    })
    expect(await said("workspace", { workspace: ["worktree"] })).toBe("worktree")
  })

  it("given a number outside of its bounds, says which there are", async () => {
    expect(await said("workers", { workers: ["4"] })).toBe(4)
    expect(await said("workers", { workers: ["0"] })).toContain("a whole number from 1 to 10000")
    expect(await said("max_waived", { "max-waived": ["1.5"] })).toContain("a number from 0 to 1")
  })
})

describe("a request", () => {
  it("given any options, says the same as its flags do on the command line", async () => {
    const request = Schema.decodeUnknownSync(ResumeRequest)({
      agent: "command",
      agent_command: "--sh 'a b' = c",
      workers: 2,
      retry_delay_ms: 0,
      timeout_ms: 90_500,
      idle_timeout_ms: 1,
      retry_on: ["TIMEOUT", "ERROR"],
      fail_fast: false,
      max_duration: "90m",
      max_cost: 0.5,
      accept: ["was_green", "untouched"],
      conflict_resolution: "manual",
      max_iterations: 4,
      take_over: true,
      task: ["login", "mail, or so"],
      note: "The port is 8081."
    })
    const flags: Record<string, Array<string>> = {}
    for (const word of asFlags(resumeOptions, request)) {
      const [, name = "", value = ""] = /^--([a-z-]+)=(.*)$/.exec(word) ?? []
      flags[name] = [...(flags[name] ?? []), value]
    }
    const parsed = Object.fromEntries(
      await Promise.all(Object.keys(request).map(async (key) => [key, await said(key, flags)]))
    )
    expect(parsed).toEqual({ ...request, retry_on: ["ERROR", "TIMEOUT"], accept: ["untouched", "was_green"] })
  })

  it("given nothing for an option, leaves its flag out", () => {
    expect(asFlags(resumeOptions, { idle_timeout_ms: null, agent: undefined, accept: [] })).toEqual([])
  })
})

const tableOf = (options: RunOptions): string =>
  [
    "| flag | key | default | |",
    "|---|---|---|---|",
    ...Object.entries(options).map(([key, option]) => {
      const usual = usualText(option)
      return `| \`--${flagName(key)}\` | \`${key}\` | ${usual === "" ? "" : `\`${usual}\``} | ${option.description} |`
    })
  ].join("\n")

describe("the command line", () => {
  it("given any command, completes --cwd, and no flag of before", async () => {
    const { code, stdout } = await proofline(["--completions", "fish"], project({}))
    expect(code).toBe(0)
    const flags = new Map<string, Array<string>>()
    for (const line of stdout.split("\n")) {
      const [, when = "", flag = ""] = /^complete -c proofline -n '(.*)' -l ([a-z-]+)/.exec(line) ?? []
      const command = [...when.matchAll(/(?<!not )__fish_seen_subcommand_from ([a-z-]+)/g)]
        .map(([, name]) => name)
        .join(" ")
      if (command !== "") flags.set(command, [...(flags.get(command) ?? []), flag])
    }
    // they look at no project
    for (const command of ["demo", "docs", "schema list", "schema print"]) flags.delete(command)
    expect([...flags.keys()]).toEqual(expect.arrayContaining(["run", "validate", "evidence check", "session open"]))
    for (const [command, names] of flags) {
      expect(names, command).toContain("cwd")
      expect(names, command).not.toContain("root")
      expect(names, command).not.toContain("retry-delay-ms")
    }
  })

  it("given a file that is only in the project of --cwd, finds it there, and writes there", async () => {
    const dir = project({ "app/tasks.yaml": "tasks: [{id: a, name: A, instruction: I, checks: [x]}]\n" })
    const found = await proofline(["validate", "tasks.yaml", "--cwd", "app"], dir)
    expect(found).toEqual({ code: 0, stdout: "app/tasks.yaml is valid: 1 task.\n", stderr: "" })
    const gone = await proofline(["validate", "tasks.yaml", "--cwd", "gone"], dir)
    expect(gone).toMatchObject({ code: 2, stderr: expect.stringContaining("[directory_missing]") })
    const exported = await proofline(["history", "export", "--cwd", "app", "--dir", "out", "--json"], dir)
    expect(documentOf(exported).data.dir).toBe(Path.join(dir, "app", "out"))
  })
})

describe("docs/options.md", () => {
  it.each<[string, RunOptions]>([
    ["of every file", fileOptions],
    ["of no defaults", Struct.omit(runOptions, Struct.keys(fileOptions))],
    ["of a file's tasks", taskOptions],
    ["of single tasks", retryOptions],
    ["of requirements", loopOptions],
    ["of splitting", splitOptions]
  ])("given the options %s, tells each of them as it is", (_, options) => {
    expect(readFileSync(new URL("../../docs/options.md", import.meta.url), "utf8")).toContain(`${tableOf(options)}\n`)
  })
})

describe("what is said of those who do the work", () => {
  const file = "tasks: [{ id: a, name: a, instruction: a, checklist: [a.txt is there] }]\n"
  // nothing listens there, and nobody asks
  const env = { PROOFLINE_DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none" }
  const commands = [
    ["run", "tasks.yaml"],
    ["run", "tasks.yaml", "--dry-run"],
    ["chunk", "Write a.txt."],
    ["run-requirements", "requirements.yaml"],
    ["resume"],
    ["fork", "last", "--resume"]
  ]
  for (const [what, flags, environment, code] of [
    ["how many attempts this process makes, where workers make them", ["--workers", "2"], env, "workers_elsewhere"],
    ["which workers, where there are none", ["--labels", "gpu"], {}, "database_url_missing"],
    ["from where workers get the project, where there are none", ["--remote", "x"], {}, "database_url_missing"]
  ] as const) {
    it(`given ${what}, is refused, and nothing is begun`, async () => {
      const dir = project({ "tasks.yaml": file })
      for (const command of commands) {
        const refused = await proofline([...command, ...flags, "--json"], dir, {
          PROOFLINE_DATABASE_URL: "",
          ...environment
        })
        expect([refused.code, documentOf(refused).data.problems], command.join(" ")).toMatchObject([2, [{ code }]])
        expect(documentOf(refused).data.problems[0].message).toContain(flags[0])
      }
      expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
    })
  }
})
