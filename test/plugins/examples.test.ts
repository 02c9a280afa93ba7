import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import {
  type AnyCommand,
  composePlugins,
  defaultChunkingConfig,
  loadPlugin,
  type Plugin,
  type ReportedItem,
  type RunConfig
} from "@proofline/kernel"
import { aRun, aTask, given, pluginContract, scripted } from "@proofline/kernel/testing"
import { Effect } from "effect"
import byHeading from "../../examples/plugins/by-heading.ts"
import frozenFiles from "../../examples/plugins/frozen-files.ts"
import openItems from "../../examples/plugins/open-items.ts"
import poll from "../../examples/plugins/poll.ts"
import twoPeople from "../../examples/plugins/two-people.ts"
import urlEvidence from "../../examples/plugins/url-evidence.ts"
import { refusals } from "../../packages/plugins/src/policies/execution/prompts.ts"
import { contentOf, done, end, start, stateOf, task, typesOf, verified } from "../kernel/support/words.ts"
import { newLog, newProcess } from "../kernel/support/world.ts"
import { evidenceInTheOpen } from "./evidenceInTheOpen.ts"

const options = { workerId: "w", slots: 4, labels: [] }

/** Drives a run of these plugins to its end, with agents that always succeed. */
const driven = Effect.fnUntraced(function* (plugins: ReadonlyArray<Plugin>, command: AnyCommand) {
  const agent = scripted(() => Effect.succeed({ outcome: "COMPLETE" }))
  const { runner } = yield* newProcess(yield* newLog, [agent, ...plugins])
  return yield* runner.drive("run_1", command, options)
})

describe("an example of a gate: files that must stay as they are", () => {
  const frozen = loadPlugin("frozen-files", frozenFiles, { folders: ["vendor"] })
  const changing = (path: string) =>
    Effect.map(frozen, (plugin) =>
      given([], [plugin])
        .after(aRun([aTask("t")], { max_retries: 1 }), start("t"), end("t", 1, "COMPLETE", { files_modified: [path] }))
        .when(verified("t"))
    )
  it.effect("when a task changed one of them, then it is tried again and told which", () =>
    Effect.gen(function* () {
      const { events, step } = yield* changing("vendor/lib.js")
      assert.deepInclude(contentOf(events, "GATE_REFUSED"), { gate: "frozen_files", plugin: "frozen-files" })
      assert.strictEqual(contentOf(events, "TASK_STATUS_CHANGED").to, "retrying")
      const former = task(step?.after.state, "t").refused
      assert.match(former === null ? "" : refusals(former).join(), /frozen_files: .*vendor\/lib\.js/)
    })
  )

  it.effect("when it changed others, then it is completed", () =>
    Effect.gen(function* () {
      assert.include(typesOf((yield* changing("src/lib.js")).events), "TASK_COMPLETED")
    })
  )

  it.effect("when its options are wrong, then it says which, before a run begins", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(loadPlugin("frozen-files", frozenFiles, { folder: ["vendor"] }))
      assert.match(message, /folder/)
    })
  )
})

describe("an example of a policy with events, a command and options", () => {
  it.effect("when two people are wanted, then the task waits for both, and each counts once", () =>
    Effect.gen(function* () {
      const plugin = yield* loadPlugin("two-people", twoPeople, { people: 2 })
      const approve = (person: string) => ({ _tag: "approval.Approve", task_id: "t", person })
      const checked = given([], [plugin]).after(aRun([aTask("t")]), start("t"), end("t"), verified("t"))
      assert.strictEqual(task(checked.snapshot.state, "t").status, "in_progress")
      const once = checked.after(approve("Ada"))
      assert.strictEqual(once.when(approve("Ada")).rejected?.code, "not_approvable")
      assert.deepStrictEqual(typesOf(once.when(approve("Bo")).events), [
        "TASK_APPROVED",
        "TASK_COMPLETED",
        "RUN_COMPLETED"
      ])
    })
  )
})

describe("an example of a kind of run", () => {
  it.effect("when enough people voted, then the poll is completed, and nobody votes after that", () =>
    Effect.gen(function* () {
      const { engine } = yield* newProcess(yield* newLog, [poll])
      const vote = (person: string) => engine.execute("run_1", { _tag: "poll.Vote", person } as AnyCommand)
      yield* engine.execute("run_1", { ...aRun([]), kind: "poll", question: "Tabs?" } as AnyCommand)
      yield* vote("Ada")
      yield* vote("Bo")
      const { run } = stateOf((yield* vote("Cy")).snapshot)
      assert.deepStrictEqual([run.kind, run.status], ["poll", "completed"])
      assert.isTrue((yield* Effect.result(vote("Di")))._tag === "Failure")
    })
  )

  it("when there is no poll, then a vote is refused", () => {
    const { rejected } = given([], [poll])
      .after(aRun([aTask("t")]))
      .when({ _tag: "poll.Vote", person: "Ada" } as AnyCommand)
    assert.strictEqual(rejected?.code, "no_poll")
  })
})

describe("an example of an operation", () => {
  it.effect("when it is called, then it answers from the run as it is", () =>
    Effect.gen(function* () {
      const composition = composePlugins([openItems])
      const operation = composition.operations.get("open_items")
      assert.isDefined(operation)
      const checklist = [{ item: "one" }, { item: "two" }, { item: "three" }]
      const { snapshot } = given([], [openItems]).after(aRun([aTask("t", { checklist })]))
      const state = composition.view(operation.slot, snapshot.slices)
      const answer = yield* operation.options.run({ limit: 2 } as never, { state } as never)
      assert.deepStrictEqual(answer, {
        items: [
          { task_id: "t", item: "one" },
          { task_id: "t", item: "two" }
        ]
      })
    })
  )
})

describe("an example of an analyzer", () => {
  const instruction = "Two parts.\n\n## The parser\nRead it.\n\n## The printer\nWrite it.\n"
  const chunking: RunConfig["chunking"] = { ...defaultChunkingConfig, analyzer: "by-heading" }

  it.effect("when a task has headings, then each of them is a subtask, and the task is completed with them", () =>
    Effect.gen(function* () {
      const asked = aTask("t", { instruction, chunk: "asked", checks: [] })
      const config = { reviewer: "critic", reviewer_named: true, chunking }
      const state = yield* driven([byHeading], aRun([asked], config))
      assert.deepStrictEqual(
        task(state, "t").children.map((id) => task(state, id).spec.title),
        ["The parser", "The printer"]
      )
      assert.strictEqual(state.run.status, "completed")
    })
  )
})

describe("an example of a kind of evidence", () => {
  /** A server that knows one page, and what becomes of a task that cites this path of it. */
  const citing = Effect.fnUntraced(function* (path: string) {
    const server = yield* Effect.acquireRelease(
      Effect.promise<ReturnType<typeof createServer>>(
        () =>
          new Promise((ready) => {
            const made = createServer(({ url }, answer) => answer.writeHead(url === "/docs" ? 200 : 404).end())
            made.listen(0, "127.0.0.1", () => ready(made))
          })
      ),
      (made) => Effect.promise(() => new Promise((closed) => made.close(closed)))
    )
    const { port } = server.address() as AddressInfo
    const claim: ReportedItem = { ...done("The page is up"), evidence: `url:http://127.0.0.1:${port}${path}` }
    const agent = scripted(() =>
      Effect.succeed({ outcome: "COMPLETE", checklist: { summary: "", checklist: [claim], problems: [] } })
    )
    const judge = yield* evidenceInTheOpen
    const { runner } = yield* newProcess(yield* newLog, [agent, judge, urlEvidence])
    const tasks = [aTask("t", { checks: [], checklist: [{ item: claim.item }] })]
    return yield* runner.drive("run_1", aRun(tasks, { max_retries: 0 }), options)
  })

  it.effect("when the page answers, then the item is proven, and its receipt says with what", () =>
    Effect.gen(function* () {
      const { items } = task(yield* citing("/docs"), "t")
      assert.deepInclude(items[0], { status: "done", verdict: "proven" })
      assert.deepInclude(items[0]?.receipt, { kind: "kind", scheme: "url", fact: { status: 200 } })
    })
  )

  it.effect("when it does not, then the item is refused, and the agent is told why", () =>
    Effect.gen(function* () {
      const { current, status } = task(yield* citing("/missing"), "t")
      assert.strictEqual(status, "failed")
      assert.match(JSON.stringify(current?.failures), /The page answers with 404/)
    })
  )
})

describe("every example", () => {
  const plugins = Effect.all([
    loadPlugin("frozen-files", frozenFiles, { folders: ["vendor"] }),
    loadPlugin("two-people", twoPeople, { people: 2 }),
    ...[byHeading, openItems, poll].map((plugin) => Effect.succeed(plugin))
  ])

  it.effect("holds to the contract of plugins", () =>
    Effect.flatMap(plugins, (all) =>
      Effect.forEach(
        all.flatMap((plugin) => pluginContract(plugin)),
        ({ run }) => run,
        { discard: true }
      )
    )
  )

  const folder = new URL("../../examples/plugins/", import.meta.url)
  for (const name of readdirSync(folder)) {
    it(`${name} is read in one look: it has 50 lines at most`, () => {
      const lines = readFileSync(new URL(name, folder), "utf8").trimEnd().split("\n")
      assert.isAtMost(lines.length, 50)
    })
  }

  it.effect("composes with all the others", () => Effect.map(plugins, (all) => void composePlugins(all)))
})
