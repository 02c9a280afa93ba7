import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import {
  type AgentRequest,
  type AgentStep,
  type AskingBack,
  type PermissionAnswer,
  type PermissionQuestion,
  TimedStep
} from "@proofline/kernel"
import type { Permissions } from "@proofline/plugins/options"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { death, pidIn } from "../node-process/support.ts"
import { quiet } from "../programs.ts"
import { until } from "../repositories.ts"
import { ask, nobody, type Project, project } from "./support.ts"

const program = fileURLToPath(new URL("acpAgent.ts", import.meta.url))

const talk = (
  at: Project,
  mode: string,
  more: Partial<AgentRequest> = {},
  permissions: Permissions = "allow",
  back: AskingBack = nobody
) => {
  const acp = `exec node --no-warnings ${program} ${mode}`
  return ask(at, { acp, permissions }, more, { command: "server", args: ["-x"] }, back)
}

const isFull = process.env["PROOFLINE_TEST"] === "full"

const stepsOf = (bytes: Uint8Array): ReadonlyArray<AgentStep> =>
  new TextDecoder()
    .decode(bytes)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Schema.decodeUnknownSync(TimedStep)(line).step)

/** What is told of what it asks for. */
const titles: Readonly<Record<string, string>> = {
  ours: "proofline_submit_review",
  named: 'mcp__proofline__submit_review: {"judgment":"PASS"}',
  foreign: 'mcp__files__remove: {"path":"/src/proofline"}'
}

const asked = ({ root }: Project): ReadonlyArray<Record<string, never>> =>
  readFileSync(join(root, "asked.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("an agent that speaks the Agent Client Protocol", () => {
  it.live("works on the prompt with our server at hand, and tells what it does", () =>
    Effect.gen(function* () {
      const at = project()
      const { answer, error, exit_code, outcome, steps, usage } = yield* talk(at, "edit", { prompt: "Change it." })
      assert.deepStrictEqual([outcome, exit_code, error, answer], ["COMPLETE", 0, null, "{}"])
      assert.deepStrictEqual(usage, { input_tokens: 7, output_tokens: 5, cost_usd: 0.25 })
      assert.strictEqual(readFileSync(join(at.root, "a.txt"), "utf8"), "changed\n")
      const files = [join(at.root, "a.txt")]
      assert.deepStrictEqual(stepsOf(steps), [
        { type: "plan", entries: [{ text: "Change a.txt", status: "in_progress" }] },
        { type: "thought", text: "Where is it?" },
        { type: "text", text: "I look at a.txt.\n" },
        { type: "tool", id: "t1", title: "Edit a.txt", status: "running", files },
        { type: "permission", title: "Edit a.txt", answer: "allowed" },
        { type: "tool", id: "t1", title: "", status: "done", files: [] },
        { type: "text", text: "All done.\n```json\n{}\n```\n" }
      ])
      const [, opened, prompted] = asked(at)
      assert.strictEqual(opened?.["params"]?.["cwd"], at.root)
      assert.deepStrictEqual(prompted?.["params"]?.["prompt"], [{ type: "text", text: "Change it." }])
      const [server] = (opened?.["params"]?.["mcpServers"] ?? []) as ReadonlyArray<object>
      assert.deepInclude(server, { name: "proofline", command: "server", args: ["-x"] })
    })
  )

  it.live.each<{
    name: string
    mode: string
    role: AgentRequest["role"]
    permissions: Permissions
    answer: "allowed" | "denied"
  }>([
    { name: "that may do nothing", mode: "edit", role: "work", permissions: "deny", answer: "denied" },
    { name: "that only judges", mode: "edit", role: "review", permissions: "allow", answer: "denied" },
    { name: "that only judges, and reads", mode: "read", role: "review", permissions: "allow", answer: "allowed" },
    { name: "that only judges, by our server", mode: "ours", role: "review", permissions: "allow", answer: "allowed" },
    { name: "that may do nothing, by our server", mode: "ours", role: "review", permissions: "deny", answer: "denied" },
    {
      name: "that only judges, by our server, which it names apart",
      mode: "named",
      role: "review",
      permissions: "allow",
      answer: "allowed"
    },
    {
      name: "that only judges, by another server, on a file of ours",
      mode: "foreign",
      role: "review",
      permissions: "allow",
      answer: "denied"
    }
  ])("is answered what it asks for, given one $name: $answer", ({ answer, mode, permissions, role }) =>
    Effect.gen(function* () {
      const at = project()
      const { steps } = yield* talk(at, mode, { role }, permissions)
      const title = titles[mode] ?? "Edit a.txt"
      const expected: AgentStep = { type: "permission", title, answer }
      assert.deepInclude(stepsOf(steps), expected)
      assert.strictEqual(existsSync(join(at.root, "a.txt")), answer === "allowed")
    })
  )

  it.live.each<{ answer: PermissionAnswer; option: string }>([
    { answer: "allow", option: "now" },
    { answer: "always", option: "always" },
    { answer: "deny", option: "never" }
  ])("waits for a person where one is to be asked, given the answer $answer", ({ answer, option }) =>
    Effect.gen(function* () {
      const at = project()
      const questions: Array<PermissionQuestion> = []
      const permission: AskingBack["permission"] = (question) =>
        Effect.sync(() => {
          questions.push(question)
          return answer
        })
      const { outcome, steps } = yield* talk(at, "edit", {}, "ask", { permission })
      assert.strictEqual(outcome, "COMPLETE")
      const detail = '{"file":"a.txt","text":"changed"}'
      assert.deepStrictEqual(questions, [
        { title: "Edit a.txt", tool: "edit", detail, files: [join(at.root, "a.txt")] }
      ])
      const chosen = asked(at).find((message) => message["result"] !== undefined)?.["result"]
      assert.deepStrictEqual(chosen, { outcome: { outcome: "selected", optionId: option } } as never)
      const told = answer === "deny" ? "denied" : "allowed"
      assert.deepInclude(stepsOf(steps), { type: "permission", title: "Edit a.txt", answer: told } as never)
      assert.strictEqual(existsSync(join(at.root, "a.txt")), answer !== "deny")
    })
  )

  it.live.each<{ name: string; mode: string; role: AgentRequest["role"]; answer: "allowed" | "denied" }>([
    { name: "what it reports to our server", mode: "ours", role: "work", answer: "allowed" },
    { name: "what it reports to our server, which it names apart", mode: "named", role: "work", answer: "allowed" },
    { name: "what would change something, given one that only judges", mode: "edit", role: "review", answer: "denied" }
  ])("asks no person about $name", ({ answer, mode, role }) =>
    Effect.gen(function* () {
      const { steps } = yield* talk(project(), mode, { role }, "ask")
      const title = titles[mode] ?? "Edit a.txt"
      assert.deepInclude(stepsOf(steps), { type: "permission", title, answer } as never)
    })
  )

  it.live("shows a person which tool it is, given one that shows only what it is called with", () =>
    Effect.gen(function* () {
      const questions: Array<PermissionQuestion> = []
      const permission: AskingBack["permission"] = (question) =>
        Effect.sync(() => {
          questions.push(question)
          return "deny"
        })
      yield* talk(project(), "foreign", {}, "ask", { permission })
      assert.deepStrictEqual(
        questions.map(({ title }) => title),
        [titles["foreign"]]
      )
    })
  )

  it.live("says what it has used, given one that tells it with each answer of its model", () =>
    Effect.gen(function* () {
      const { usage } = yield* talk(project(), "counts")
      assert.deepStrictEqual(usage, { input_tokens: 30, output_tokens: 6, cost_usd: 0.5 })
    })
  )

  it.effect("has no less time because a person takes long to answer", () =>
    Effect.gen(function* () {
      const asking = yield* Deferred.make<void>()
      const answered = yield* Deferred.make<PermissionAnswer>()
      const permission = () => Effect.andThen(Deferred.succeed(asking, undefined), Deferred.await(answered))
      const limits = { timeout_ms: 60_000, idle_timeout_ms: 30_000 }
      const working = yield* Effect.forkChild(talk(project(), "edit", limits, "ask", { permission }))
      yield* Deferred.await(asking)
      yield* TestClock.adjust("10 hours")
      yield* Deferred.succeed(answered, "allow")
      assert.strictEqual((yield* Fiber.join(working)).outcome, "COMPLETE")
    })
  )

  it.live("is ended while it waits for a person, and nobody is asked any more", () =>
    Effect.gen(function* () {
      const at = project()
      const asking = yield* Deferred.make<void>()
      const forgotten = yield* Deferred.make<void>()
      const permission = () =>
        Effect.andThen(Deferred.succeed(asking, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Deferred.succeed(forgotten, undefined))
        )
      const working = yield* Effect.forkChild(talk(at, "edit", {}, "ask", { permission }))
      yield* Deferred.await(asking)
      yield* Fiber.interrupt(working)
      yield* Deferred.await(forgotten)
      assert.isFalse(existsSync(join(at.root, "a.txt")))
      yield* quiet(at.root)
    })
  )

  it.live.each<{ name: string; mode: string; code: string; terminal: boolean; why: string }>([
    { name: "crashes", mode: "crash", code: "agent_exit", terminal: false, why: "exited with code 3" },
    {
      name: "ends before its answer",
      mode: "quit",
      code: "agent_protocol",
      terminal: false,
      why: "before it had answered"
    },
    {
      name: "reaches the limit of its model",
      mode: "tokens",
      code: "agent_protocol",
      terminal: false,
      why: "limit of tokens"
    },
    { name: "speaks another version", mode: "newer", code: "agent_protocol", terminal: false, why: "version 7" },
    { name: "wants a login", mode: "login", code: "agent_credentials", terminal: true, why: "Log in" },
    { name: "answers nothing", mode: "mute", code: "agent_timeout", terminal: false, why: "not done within 1 s" },
    {
      name: "takes no end of its work",
      mode: "stubborn",
      code: "agent_timeout",
      terminal: false,
      why: "not done within"
    }
  ])("fails, given one that $name: $code", ({ code, mode, terminal, why }) =>
    Effect.gen(function* () {
      const isSilent = mode === "mute" || mode === "stubborn"
      const { error, outcome } = yield* talk(project(), mode, isSilent ? { timeout_ms: 1_000 } : {})
      assert.strictEqual(outcome, isSilent ? "TIMEOUT" : "ERROR")
      assert.deepInclude(error, { code, terminal })
      assert.include(error?.message, why)
    })
  )

  it.live("is heard through what else it prints", () =>
    Effect.gen(function* () {
      const { outcome, steps } = yield* talk(project(), "noise")
      assert.strictEqual(outcome, "COMPLETE")
      assert.deepStrictEqual(stepsOf(steps), [{ type: "text", text: "done\n" }])
    })
  )

  it.live("is asked to stop before it is ended, and nothing of it is left", () =>
    Effect.gen(function* () {
      const at = project()
      const working = yield* Effect.forkChild(talk(at, "wait"))
      yield* until(() => existsSync(join(at.root, "waits")))
      yield* Fiber.interrupt(working)
      assert.strictEqual(asked(at).at(-1)?.["method"], "session/cancel")
      yield* quiet(at.root)
    })
  )

  it.live("leaves nobody behind, also where one has left its group", () =>
    Effect.gen(function* () {
      const at = project()
      const { outcome } = yield* talk(at, "setsid")
      assert.strictEqual(outcome, "COMPLETE")
      yield* death(yield* pidIn(join(at.root, "pid")))
    })
  )

  it.live("may flood us, a gigabyte in the long run: a part of it is kept, and its answer is heard", () =>
    Effect.gen(function* () {
      const { answer, outcome, steps, stdout } = yield* talk(project(), isFull ? "flood" : "spill")
      assert.deepStrictEqual([outcome, answer], ["COMPLETE", "{}"])
      assert.isBelow(stdout.length, 9_000_000)
      assert.isBelow(steps.length, 9_000_000)
    })
  )

  it.live("is not told the token of its attempt in what is kept", () =>
    Effect.gen(function* () {
      const { steps, stdout } = yield* talk(project(), "token")
      assert.deepStrictEqual(stepsOf(steps), [{ type: "text", text: "It is [PROOFLINE_TOKEN].\n" }])
      assert.include(new TextDecoder().decode(stdout), "[PROOFLINE_TOKEN]")
    })
  )
})
