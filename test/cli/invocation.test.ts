import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { type Answer, asked } from "./asked.ts"
import { project, proofline } from "./proofline.ts"

/** What a command line is refused for, each with what to do next. */
const refusals = ({ data }: Answer): ReadonlyArray<string> =>
  data.problems.map(({ hint, message }: { readonly hint: string; readonly message: string }) => `${message} ${hint}`)

describe("given a flag that is misspelt", () => {
  it.each<readonly [words: string, told: string]>([
    ["run tasks.yaml --worker 3 -h", "--worker in command proofline run Did you mean `--workers`?"],
    ["run tasks.yaml --worker 3 --help", "--worker in command proofline run Did you mean `--workers`?"],
    ["run tasks.yaml -hx", "-hx in command proofline run A flag of several letters begins with two dashes."],
    ["run tasks.yaml -verbose", "-verbose in command proofline run A flag of several letters begins with two dashes."],
    ["run tasks.yaml -v", "-v in command proofline run"]
  ])(
    "when `%s` asks for help or the version behind it, or contains their letters, it is told once, and nothing else",
    async (words, told) => {
      const answer = await asked(words.split(" "), project({}))
      expect(answer.code).toBe(2)
      expect(answer.refused).toEqual(["usage_unrecognized_option"])
      expect(refusals(answer)).toEqual([`Unrecognized flag: ${told} See \`proofline run --help\`.`])
    }
  )

  it("with its value behind it, then that is told neither as a command nor as anything else", async () => {
    for (const [words, near] of [
      ["history --kindd tasks", "--kind"],
      ["history --knid=tasks", "--kind"],
      ["status --cwdd .", "--cwd"]
    ] as const) {
      const answer = await asked(words.split(" "), project({}))
      expect([answer.code, answer.refused], words).toEqual([2, ["usage_unrecognized_option"]])
      expect(refusals(answer)[0], words).toMatch(`Did you mean \`${near}\`?`)
    }
  })

  it("or a command of which the beginning was written, then the one that begins so is told", async () => {
    const { code, stderr } = await proofline(["hist"], project({}))
    expect([code, stderr]).toEqual([2, expect.stringContaining("Did you mean `history`?")])
  })

  it("that is no command but a flag, then that flag is told", async () => {
    const { code, stderr } = await proofline(["completion"], project({}))
    expect([code, stderr]).toEqual([2, expect.stringContaining("Did you mean `--completions`?")])
  })

  it("or a command, when help is asked for behind it, then it is told with the one that was meant", async () => {
    const { code, stderr, stdout } = await proofline(["rnu", "-h"], project({}))
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/^error: Unknown subcommand "rnu" .*\n {4}Did you mean `run`\? See `proofline --help`\.\n$/)
  })

  it("but no command, when a flag of every command stands alone, then it is told that one is missing", async () => {
    const { code, stderr, stdout } = await proofline(["--log-level", "info"], project({}))
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain("`proofline` needs a subcommand. [usage_missing_subcommand]")
  })

  it("when help was asked for before it, then the help is shown", async () => {
    const dir = project({})
    const help = await proofline(["run", "--help"], dir)
    expect(help).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("proofline run [flags]") })
    for (const words of ["run -h", "-h run", "help run", "run -h --worker 3", "run --workers -h"]) {
      expect(await proofline(words.split(" "), dir), words).toEqual(help)
    }
  })
})

describe("given a value that begins with a dash", () => {
  it("when it is a number with its unit, then it is the value of its flag, and what is wrong with it is told", async () => {
    for (const value of ["-5s", "-1.5h"]) {
      for (const words of [["--timeout", value], [`--timeout=${value}`]]) {
        const answer = await asked(["run", "tasks.yaml", ...words], project({}))
        expect(answer.code).toBe(2)
        expect(answer.refused).toEqual(["duration_invalid"])
        expect(refusals(answer)[0]).toMatch(
          `--timeout cannot be "${value}", which is negative. Write a number and its unit`
        )
      }
    }
  })

  it("when it is anything else, then it is told once how to give it", async () => {
    const answer = await asked(["cancel", "--reason", "- do this"], project({}))
    expect(answer.code).toBe(2)
    expect(refusals(answer)).toEqual([
      "Missing value for flag --reason. Expected: string A value that begins with a dash is joined to its flag: `'--reason=- do this'`. See `proofline cancel --help`."
    ])
  })

  it("when it stands behind `--`, then it stays as it is", async () => {
    const { code, stderr } = await proofline(["cancel", "--", "--timeout", "-5s"], project({}))
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: Unexpected positional argument: "-5s" /)
  })
})

describe("given a value that does not fit", () => {
  it.each<readonly [words: string, told: string]>([
    ["run tasks.yaml --agent claude --agent codex", "Flag --agent is given 2 times. Give it once."],
    ["run tasks.yaml --max-cost much", 'Invalid value for flag --max-cost: "much". Expected a number']
  ])("when it is that of `%s`, then it is told what is wrong with it", async (words, told) => {
    const answer = await asked(words.split(" "), project({}))
    expect(answer).toMatchObject({ code: 2, refused: ["usage_invalid_value"] })
    expect(refusals(answer)).toEqual([`${told} See \`proofline run --help\`.`])
  })
})

describe("given nothing for a name, as a script has it whose variable is not set", () => {
  it.each<readonly [words: string, what: string]>([
    ["run", "<tasks.yaml>"],
    ["validate", "<file>"],
    ["events import", "<file>"],
    ["events export --out", "--out"],
    ["history export --dir", "--dir"],
    ["show --out", "--out"],
    ["verify --public-key", "--public-key"]
  ])("when it stands behind `%s`, then it is refused, and is not the current directory", async (words, what) => {
    const dir = project({})
    const answer = await asked([...words.split(" "), ""], dir)
    expect(answer).toMatchObject({ code: 2, refused: ["path_empty"] })
    expect(refusals(answer)[0]).toMatch(`${what} is empty. Name a `)
    expect(readdirSync(dir)).toEqual([])
  })
})

describe("given a prompt with a check that is blank", () => {
  it("then it is refused: it would always pass", async () => {
    const answer = await asked(["chunk", "Do it", "--plan", "--check", "true", "--check", " "], project({}))
    expect(answer).toMatchObject({ code: 2, refused: ["check_invalid"] })
  })
})

describe("given a file of events that is not there, or is a directory", () => {
  it.each(["events import", "log restore"])("when `%s` is to read it, then that is said", async (words) => {
    for (const [name, why] of [
      ["gone.ndjson", "there is no such file"],
      [".", "it is a directory"]
    ] as const) {
      const answer = await asked([...words.split(" "), name], project({}))
      expect(answer).toMatchObject({ code: 2, refused: ["events_unreadable"] })
      expect(answer.data.problems[0].message).toMatch(new RegExp(`^The file \\S+ cannot be used: ${why}\\.$`))
    }
  })
})

describe("given a command that is asked for the format json", () => {
  it.each<readonly [words: string, kind: string, code: string]>([
    ["show nope", "show", "run_unknown"],
    ["report nope", "report", "run_unknown"],
    ["audit nofile.md", "audit", "list_missing"],
    ["show --follw", "show", "usage_unrecognized_option"]
  ])("when `%s` is refused, then stdout has the document that --json gives", async (words, kind, code) => {
    const dir = project({})
    const answer = await asked(words.split(" "), dir)
    expect(answer).toMatchObject({ code: 2, kind, refused: [code] })
    for (const format of [["--format", "json"], ["--format=json"]]) {
      const { code: exitCode, stderr, stdout } = await proofline([...words.split(" "), ...format], dir)
      expect({ code: exitCode, stderr, stdout }).toEqual({ code: 2, stderr: answer.stderr, stdout: answer.stdout })
    }
  })
})

describe("given events that are asked for as JSON", () => {
  it.each<readonly [words: string, code: string]>([
    ["events", "run_unknown"],
    ["events nope", "run_unknown"],
    ["events --follw", "usage_unrecognized_option"],
    ["events --cwd nope", "directory_missing"]
  ])("when `%s` cannot begin, then the one line on stdout says it", async (words, code) => {
    const dir = project({})
    const answer = await asked(words.split(" "), dir)
    expect(answer).toMatchObject({ code: 2, kind: "events", refused: [code] })
    expect(answer.stdout).toMatch(/^.+\n$/)
    const { code: exitCode, stderr, stdout } = await proofline(words.split(" "), dir)
    expect({ exitCode, stderr, stdout }).toEqual({ exitCode: 2, stderr: answer.stderr, stdout: "" })
  })
})
