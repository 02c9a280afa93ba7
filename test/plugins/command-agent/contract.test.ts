import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Agents } from "@proofline/kernel"
import { layer as tokens } from "@proofline/plugins/adapters/attempt-tokens"
import { removeRunFiles, reports } from "@proofline/plugins/adapters/command-agent"
import { AttemptReports, AttemptTokens } from "@proofline/plugins/policies/attempts"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import {
  death,
  directory,
  family,
  familyIn,
  isAlive,
  notLinux,
  pidIn,
  script,
  text,
  written
} from "../node-process/support.ts"
import { agentsOf, ask, nobody, project, request, runId } from "./support.ts"

const files = (folder: string): ReadonlyArray<string> =>
  existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : []

describe("what an agent is given", () => {
  it.live("is the prompt on its input and the contract in its environment", () =>
    Effect.gen(function* () {
      const at = project()
      const result = yield* ask(
        at,
        {
          command: `cat; pwd -P
echo "$PROOFLINE_RUN_ID|$PROOFLINE_TASK_ID|$PROOFLINE_ATTEMPT|$PROOFLINE_ROLE|$PROOFLINE_ROOT|$PROOFLINE_STATE"
cat "$PROOFLINE_PROMPT_FILE"; echo "prompt=[$PROOFLINE_PROMPT]"`
        },
        { run_id: "r", task_id: "t-sub-2", attempt: 3, role: "review", prompt: "Was it done?\n" }
      )
      assert.strictEqual(
        text(result.stdout),
        `Was it done?\n${at.root}\nr|t-sub-2|3|review|${at.root}|${at.stateDir}\nWas it done?\nprompt=[]\n`
      )
      assert.deepStrictEqual(
        [result.outcome, result.exit_code, result.signal, result.error],
        ["COMPLETE", 0, null, null]
      )
      assert.isTrue(Number.isInteger(result.duration_ms))
    })
  )

  it.live("is another directory when it is asked to work there, whatever repository we were started for", () =>
    Effect.gen(function* () {
      const at = project()
      const elsewhere = directory()
      writeFileSync(join(elsewhere, "here.sh"), "echo found\n")
      yield* Effect.acquireRelease(
        Effect.sync(() => Object.assign(process.env, { GIT_DIR: "/nowhere" })),
        () => Effect.sync(() => delete process.env["GIT_DIR"])
      )
      const command = { command: `pwd -P; echo "$PROOFLINE_ROOT|$GIT_DIR"; sh ./here.sh; touch made` }
      const result = yield* ask(at, command, { directory: elsewhere })
      assert.strictEqual(text(result.stdout), `${elsewhere}\n${elsewhere}|\nfound\n`)
      assert.deepStrictEqual([existsSync(join(elsewhere, "made")), existsSync(join(at.root, "made"))], [true, false])
    })
  )

  it.live("is a report file that is not there yet, in a private directory below the state", () =>
    Effect.gen(function* () {
      const at = project()
      const result = yield* ask(at, {
        command: `[ -e "$PROOFLINE_REPORT_FILE" ] || echo absent; echo "$PROOFLINE_REPORT_FILE"
ls -ld "$(dirname "$PROOFLINE_REPORT_FILE")" | cut -c 1-10`
      })
      const [absent, path = "", rights] = text(result.stdout).split("\n")
      assert.deepStrictEqual([absent, rights], ["absent", "drwx------"])
      assert.isTrue(path.startsWith(join(at.stateDir, "tmp", runId, "task-1-1-work-")), path)
    })
  )

  it.live("is removed afterwards", () =>
    Effect.gen(function* () {
      const at = project()
      yield* ask(at, { command: 'echo x > "$PROOFLINE_REPORT_FILE"; touch "$(dirname "$PROOFLINE_REPORT_FILE")/more"' })
      yield* ask(at, { command: "exit 1" })
      assert.deepStrictEqual(files(at.stateDir), ["attempts.key", "tmp"])
    })
  )

  it.live("stays inside the state whatever the ids are called", () =>
    Effect.gen(function* () {
      const at = project()
      const result = yield* ask(
        at,
        { command: 'echo "$PROOFLINE_REPORT_FILE|$PROOFLINE_TASK_ID"' },
        { run_id: "../../out", task_id: `/etc/${"x".repeat(300)} é` }
      )
      const [path = "", task] = text(result.stdout).trim().split("|")
      assert.isTrue(path.startsWith(join(at.stateDir, "tmp", "______out", "_etc_xxx")), path)
      assert.strictEqual(task, `/etc/${"x".repeat(300)} é`)
    })
  )

  it.live("replaces what an outer Proofline had set", () =>
    Effect.gen(function* () {
      process.env["PROOFLINE_ROLE"] = "outer"
      const result = yield* Effect.ensuring(
        ask(project(), { command: 'echo "$PROOFLINE_ROLE"' }),
        Effect.sync(() => delete process.env["PROOFLINE_ROLE"])
      )
      assert.strictEqual(text(result.stdout), "work\n")
    })
  )
})

describe("the token of an attempt", () => {
  it.live("is in the environment, is read as this attempt, and is kept nowhere", () =>
    Effect.gen(function* () {
      const at = project()
      const { mint } = yield* AttemptTokens.pipe(Effect.provide(tokens({ stateDir: at.stateDir })))
      const token = yield* mint({ run_id: runId, task_id: "task-1", attempt: 2, role: "work" })
      const command =
        'echo "$PROOFLINE_TOKEN" > seen; echo "out $PROOFLINE_TOKEN \u00e9"; echo "err $PROOFLINE_TOKEN" >&2; echo "$PROOFLINE_TOKEN" > "$PROOFLINE_REPORT_FILE"'
      const result = yield* ask(at, { command }, { attempt: 2 })
      assert.strictEqual(readFileSync(join(at.root, "seen"), "utf8").trim(), token)
      assert.deepStrictEqual(
        [text(result.stdout), text(result.stderr), result.answer],
        ["out [PROOFLINE_TOKEN] \u00e9\n", "err [PROOFLINE_TOKEN]\n", "[PROOFLINE_TOKEN]\n"]
      )
    })
  )

  it.live("is not for what only judges, nor is that of an outer attempt", () =>
    Effect.gen(function* () {
      const at = project()
      process.env["PROOFLINE_TOKEN"] = "att_outer.token"
      yield* Effect.ensuring(
        ask(at, { judge: 'echo "[$PROOFLINE_TOKEN]" > seen' }, { role: "review" }),
        Effect.sync(() => delete process.env["PROOFLINE_TOKEN"])
      )
      assert.strictEqual(readFileSync(join(at.root, "seen"), "utf8"), "[]\n")
    })
  )
})

describe("a report that is handed in by a call", () => {
  const call = { run_id: runId, task_id: "task-1", attempt: 1, role: "work" } as const

  it.live("is the answer of the agent that works, and of nobody when it has ended", () =>
    Effect.gen(function* () {
      const at = project()
      const { isWritten, write } = yield* AttemptReports.pipe(Effect.provide(reports({ stateDir: at.stateDir })))
      assert.isFalse(yield* write(call, "early"))
      const working = yield* Effect.forkChild(
        ask(at, { command: 'echo $$ > started; while ! [ -s "$PROOFLINE_REPORT_FILE" ]; do :; done' })
      )
      yield* written(join(at.root, "started"))
      assert.isFalse(yield* isWritten(call))
      assert.isFalse(yield* write({ ...call, attempt: 2 }, "of another attempt"))
      assert.isFalse(yield* write({ ...call, role: "review" }, "in another role"))
      assert.isTrue(yield* write(call, "by a call"))
      const result = yield* Fiber.join(working)
      assert.deepStrictEqual([result.outcome, result.answer], ["COMPLETE", "by a call"])
      assert.deepStrictEqual([yield* write(call, "late"), yield* isWritten(call)], [false, false])
    })
  )

  it.live("does not follow a link that an agent has put in its place", () =>
    Effect.gen(function* () {
      const at = project()
      const { write } = yield* AttemptReports.pipe(Effect.provide(reports({ stateDir: at.stateDir })))
      writeFileSync(join(at.root, "precious"), "kept")
      const working = yield* Effect.forkChild(
        ask(at, {
          command: 'ln -s "$PWD/precious" "$PROOFLINE_REPORT_FILE"; echo > started; while ! [ -e go ]; do :; done'
        })
      )
      yield* written(join(at.root, "started"))
      assert.isTrue(yield* write(call, "mine"))
      writeFileSync(join(at.root, "go"), "")
      assert.strictEqual((yield* Fiber.join(working)).answer, "mine")
      assert.strictEqual(readFileSync(join(at.root, "precious"), "utf8"), "kept")
    })
  )
})

describe("the prompt in the command", () => {
  const nasty = `it's "quoted" $HOME \`id\` $(touch injected) \\ ; touch injected & {prompt_file}\nsecond line *`

  it.live.each([
    { name: "bare", command: "show {prompt}" },
    { name: "in double quotes", command: 'show "{prompt}"' },
    { name: "in single quotes", command: "show '{prompt}'" },
    { name: "after a closed substitution", command: 'show "$(echo ")" >/dev/null)""{prompt}"' },
    { name: "in a subshell", command: "(show {prompt})" },
    { name: "inside a substitution", command: 'X="$(show "{prompt}")"; printf "%s\\n" "$X"' }
  ])("is one word, and never a program: $name", ({ command }) =>
    Effect.gen(function* () {
      const at = project()
      const result = yield* ask(
        at,
        { command: `show() { printf '%s:%s\\n' "$#" "$1"; }; ${command}` },
        { prompt: nasty }
      )
      assert.strictEqual(text(result.stdout), `1:${nasty}\n`)
      assert.isFalse(existsSync(join(at.root, "injected")))
    })
  )

  it.live("is still on the input", () =>
    Effect.gen(function* () {
      const result = yield* ask(
        project(),
        { command: `printf '%s|' "told: {prompt}" 'and "{prompt}"'; cat` },
        { prompt: "p q" }
      )
      assert.strictEqual(text(result.stdout), 'told: p q|and "p q"|p q')
    })
  )

  it.live("can be named by its file", () =>
    Effect.gen(function* () {
      const result = yield* ask(project(), {
        command: "cat {prompt_file} '{prompt_file}' \"{prompt_file}\" </dev/null"
      })
      assert.strictEqual(text(result.stdout), "Do it.\n".repeat(3))
    })
  )

  it.live("may be too long for an argument, which is said, and keeps no other task from its agent", () =>
    Effect.gen(function* () {
      const at = project()
      const prompt = "x".repeat(3_000_000)
      assert.strictEqual((yield* ask(at, { command: "wc -c" }, { prompt })).outcome, "COMPLETE")
      const result = yield* ask(at, { command: "echo {prompt}" }, { prompt })
      assert.deepStrictEqual(
        [result.outcome, result.error?.code, result.error?.terminal],
        ["ERROR", "agent_not_started", false]
      )
      for (const part of ["too long", "{prompt_file}"]) assert.include(result.error?.message, part)
    })
  )
})

describe("the answer of an agent", () => {
  it.live("is the report file rather than the output", () =>
    Effect.gen(function* () {
      const result = yield* ask(project(), {
        command: `printf '{"from":"file"}' > "$PROOFLINE_REPORT_FILE"; printf '\`\`\`\\nprinted\\n\`\`\`\\n'`
      })
      assert.strictEqual(result.answer, '{"from":"file"}')
    })
  )

  it.live("is the last block of the output when there is no file or an empty one", () =>
    Effect.gen(function* () {
      const print = `printf '\`\`\`\\none\\n\`\`\`\\nand\\n~~~json\\n{"a":1}\\n~~~\\nbye\\n'`
      assert.strictEqual((yield* ask(project(), { command: print })).answer, '{"a":1}')
      const touched = yield* ask(project(), { command: `: > "$PROOFLINE_REPORT_FILE"; ${print}` })
      assert.strictEqual(touched.answer, '{"a":1}')
    })
  )

  it.live("is not looked for in what it prints as errors", () =>
    Effect.gen(function* () {
      const result = yield* ask(project(), { command: `printf '\`\`\`\\nx\\n\`\`\`\\n' >&2` })
      assert.deepStrictEqual([result.answer, result.outcome], [null, "COMPLETE"])
    })
  )

  it.live("is never that of an earlier attempt", () =>
    Effect.gen(function* () {
      const at = project()
      // What a killed Proofline may have left, under every name it could have had.
      for (const name of ["task-1-1-work", "task-1-1-work-abc123"]) {
        mkdirSync(join(at.stateDir, "tmp", runId, name), { recursive: true })
        writeFileSync(join(at.stateDir, "tmp", runId, name, "report"), "stale")
      }
      assert.isNull((yield* ask(at, { command: "true" })).answer)
      assert.include(files(join(at.stateDir, "tmp")), `${runId}/task-1-1-work/report`)
      yield* removeRunFiles(at.stateDir, runId)
      assert.deepStrictEqual(files(join(at.stateDir, "tmp")), [])
    })
  )

  it.live("survives a bad end", () =>
    Effect.gen(function* () {
      const result = yield* ask(project(), { command: 'echo late > "$PROOFLINE_REPORT_FILE"; exit 4' })
      assert.deepStrictEqual(
        [result.outcome, result.exit_code, result.answer, result.error?.code],
        ["ERROR", 4, "late\n", "agent_exit"]
      )
    })
  )

  it.live("may hold bytes that are no text", () =>
    Effect.gen(function* () {
      const result = yield* ask(project(), { command: String.raw`printf '\377\n${"```"}\nok\376\n${"```"}\n'` })
      assert.strictEqual(result.answer, "ok\ufffd")
      assert.deepStrictEqual([...result.stdout.slice(0, 2)], [255, 10])
    })
  )

  it.live.each([
    { name: "a directory", make: 'mkdir "$PROOFLINE_REPORT_FILE"' },
    { name: "a named pipe", make: 'mkfifo "$PROOFLINE_REPORT_FILE"' },
    { name: "larger than any report", make: 'head -c 9000000 /dev/zero > "$PROOFLINE_REPORT_FILE"' }
  ])("is missing, with a reason, when the report file is $name", ({ make }) =>
    Effect.gen(function* () {
      const result = yield* ask(project(), { command: `${make}; printf '\`\`\`\\nx\\n\`\`\`\\n'` })
      assert.deepStrictEqual(
        [result.outcome, result.answer, result.error?.code],
        ["ERROR", null, "agent_report_unreadable"]
      )
    })
  )
})

describe("the end of an agent", () => {
  it.live("by a signal has its name", () =>
    Effect.gen(function* () {
      const result = yield* ask(project(), { command: "kill -s KILL $$" })
      assert.deepStrictEqual(
        [result.outcome, result.exit_code, result.signal, result.error?.code],
        ["ERROR", null, "SIGKILL", "agent_signal"]
      )
    })
  )

  it.live("at once, because there is no such program, is terminal", () =>
    Effect.gen(function* () {
      const result = yield* ask(project(), { command: "no-such-agent --secret=sk-1" })
      assert.deepStrictEqual(
        [result.outcome, result.exit_code, result.error?.code, result.error?.terminal],
        ["ERROR", 127, "agent_not_found", true]
      )
      assert.notInclude(result.error?.message, "sk-1")
    })
  )

  it.live("at once, because it cannot be executed, is terminal", () =>
    Effect.gen(function* () {
      const at = project()
      writeFileSync(join(at.root, "agent"), "", { mode: 0o644 })
      const result = yield* ask(at, { command: "./agent" })
      assert.deepStrictEqual(
        [result.exit_code, result.error?.code, result.error?.terminal],
        [126, "agent_not_found", true]
      )
    })
  )

  it.live("before the start, because the project is gone, is said without a stack", () =>
    Effect.gen(function* () {
      const at = { root: join(directory(), "gone"), stateDir: directory() }
      const result = yield* ask(at, { command: "true" })
      assert.deepStrictEqual(result.error, {
        code: "agent_not_started",
        message: `Agent "a" could not be started. The directory ${at.root} does not exist.`,
        terminal: true
      })
    })
  )

  it.effect("at its limit takes everything with it", () =>
    Effect.gen(function* () {
      const at = project()
      const fiber = yield* Effect.forkChild(ask(at, { command: `${family(at.root)}; wait` }, { timeout_ms: 60_000 }))
      const pids = yield* familyIn(at.root)
      yield* TestClock.adjust(60_000)
      const result = yield* Fiber.join(fiber)
      assert.deepStrictEqual(pids.filter(isAlive), [])
      assert.deepStrictEqual(
        [result.outcome, result.error?.code, result.error?.terminal],
        ["TIMEOUT", "agent_timeout", false]
      )
    })
  )

  it.effect("for silence is told apart", () =>
    Effect.gen(function* () {
      const at = project()
      const fiber = yield* Effect.forkChild(
        ask(at, { command: "echo $$ > started; sleep 1000" }, { idle_timeout_ms: 10_000 })
      )
      yield* written(join(at.root, "started"))
      yield* TestClock.adjust(10_000)
      const result = yield* Fiber.join(fiber)
      assert.deepStrictEqual([result.outcome, result.error?.code], ["TIMEOUT", "agent_idle"])
    })
  )

  it.live("by interruption leaves neither processes nor files", () =>
    Effect.gen(function* () {
      const at = project()
      const fiber = yield* Effect.forkChild(ask(at, { command: `${family(at.root)}; wait` }))
      const pids = yield* familyIn(at.root)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual([pids.filter(isAlive), files(at.stateDir)], [[], ["attempts.key", "tmp"]])
    })
  )

  it.live.skipIf(notLinux)("also reaches what left its group, and nobody else", () =>
    Effect.gen(function* () {
      const at = project()
      const run_id = `run-${process.pid}-${at.root.slice(-6)}`
      const other = yield* Effect.forkChild(
        ask(at, { command: "echo $$ > other; exec sleep 1000" }, { run_id, attempt: 2 })
      )
      const otherPid = yield* pidIn(join(at.root, "other"))
      yield* ask(
        at,
        { command: "setsid sh -c 'echo $$ > escaped; exec sleep 1000' & while ! [ -s escaped ]; do :; done" },
        { run_id }
      )
      yield* death(yield* pidIn(join(at.root, "escaped")))
      assert.isTrue(isAlive(otherPid))
      yield* Fiber.interrupt(other)
      assert.isFalse(isAlive(otherPid))
    })
  )
})

describe("the agents of a project", () => {
  it.live("are known by name, and only those", () =>
    Effect.gen(function* () {
      const at = project()
      const agents = yield* Agents.pipe(
        Effect.provide(agentsOf({ ...at, agents: { one: { command: "true" }, two: { preset: "claude" } } }))
      )
      assert.deepStrictEqual(agents.names, ["one", "two"])
      for (const name of ["three", "toString", "__proto__"]) {
        const error = yield* Effect.flip(agents.run(name, request(), nobody))
        assert.strictEqual(error.message, `There is no agent "${name}". Known: one, two.`)
      }
      assert.deepStrictEqual(files(at.stateDir), [])
    })
  )

  it.live("do not start when their files cannot be written", () =>
    Effect.gen(function* () {
      const at = project()
      const stateDir = script(at.root, "a-file", "sh", "")
      const error = yield* Effect.flip(ask({ root: at.root, stateDir }, { command: "touch started" }))
      assert.strictEqual(error._tag, "LogUnavailable")
      assert.isFalse(existsSync(join(at.root, "started")))
    })
  )

  it.live("may work at the same time on the same task", () =>
    Effect.gen(function* () {
      const at = project()
      const command = 'echo "$PROOFLINE_ATTEMPT" > "$PROOFLINE_REPORT_FILE"'
      const results = yield* Effect.all(
        Array.from({ length: 12 }, (_, index) => ask(at, { command }, { attempt: index + 1 })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        results.map((result) => result.answer),
        results.map((_, index) => `${index + 1}\n`)
      )
      assert.isTrue(statSync(join(at.stateDir, "tmp")).isDirectory())
      assert.deepStrictEqual(files(join(at.stateDir, "tmp")), [])
    })
  )
})
