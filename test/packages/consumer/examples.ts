// Every example for authors of plugins: loaded as Proofline loads it, composed with the policies, tried by its rules.
import { type AnyCommand, composePlugins, kernelStateOf, loadPlugin, type Plugin } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { layer as escrowedChecks } from "@proofline/plugins/adapters/escrowed-checks"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import { projects as scratchProjects } from "@proofline/plugins/adapters/git-scratch-checkouts"
import { layer as gitWorkspaces } from "@proofline/plugins/adapters/git-workspaces"
import { layer as nodeBaseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeProcess } from "@proofline/plugins/adapters/node-process"
import { layer as nodeProjectFiles } from "@proofline/plugins/adapters/node-project-files"
import { layer as nodeTestReports } from "@proofline/plugins/adapters/node-test-reports"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import { evidence } from "@proofline/plugins/policies/evidence"
import { sessions } from "@proofline/plugins/policies/sessions"
import { Effect, Layer } from "effect"
import byHeading from "./by-heading.ts"
import changelogPhase from "./changelog-phase.ts"
import frozenFiles from "./frozen-files.ts"
import openItems from "./open-items.ts"
import poll from "./poll.ts"
import twoPeople from "./two-people.ts"
import urlEvidence from "./url-evidence.ts"

const [root = "", stateDir = ""] = process.argv.slice(2)
const project = Layer.mergeAll(
  nodeProjectFiles({ root }),
  nodeProcess({ root }),
  gitWorkspaces({ root, stateDir }),
  scratchProjects({ root, state: stateDir }),
  nodeTestReports,
  escrowedChecks({ root, state: stateDir, manifest: () => null }),
  treeSitter()
).pipe(
  Layer.provideMerge(nodeBaseline({ root })),
  Layer.provideMerge(fileBlobs({ directory: stateDir })),
  Layer.provideMerge(nodeDigest)
)

const policies = await Effect.runPromise(Effect.provide(Effect.all([evidence, sessions]), project))
const examples: Readonly<Record<string, Plugin>> = await Effect.runPromise(
  Effect.all({
    "by-heading": loadPlugin<never>("by-heading", byHeading),
    "changelog-phase": loadPlugin<never>("changelog-phase", changelogPhase),
    "frozen-files": loadPlugin<never>("frozen-files", frozenFiles, { folders: ["vendor"] }),
    "open-items": loadPlugin<never>("open-items", openItems),
    poll: loadPlugin<never>("poll", poll),
    "two-people": loadPlugin<never>("two-people", twoPeople, { people: 1 }),
    "url-evidence": loadPlugin<never>("url-evidence", urlEvidence)
  })
)
const composition = composePlugins([...policies, ...Object.values(examples)])

const only = (name: string): ReadonlyArray<Plugin> =>
  Object.entries(examples).flatMap(([key, one]) => (key === name ? [one] : []))
const about = { task_id: "t", attempt: 1 }
const ended = {
  _tag: "EndAttempt",
  ...about,
  outcome: "COMPLETE",
  exit_code: 0,
  signal: null,
  duration_ms: 1,
  error: null,
  output: null,
  report: null,
  files_modified: ["vendor/lib.js"]
} as AnyCommand
const started = {
  _tag: "StartAttempt",
  ...about,
  agent: "command",
  worker_id: "w",
  item_id: "i",
  lease: 1,
  prompt: { sha256: "", bytes: 0 }
} as AnyCommand
const check = { command: "true", item_index: null, exit_code: 0, signal: null, timed_out: false, duration_ms: 1 }
const verified = {
  _tag: "RecordVerification",
  ...about,
  checks: [{ ...check, output: null, output_tail: "", ablation: null }]
} as AnyCommand
/** A task whose attempt has ended, before its check is judged. */
const worked = (name: string) => given([], only(name)).after(aRun([aTask("t")], { max_retries: 0 }), started, ended)
const approve = { _tag: "approval.Approve", task_id: "t", person: "Ada" } as AnyCommand

const vote = (person: string) => ({ _tag: "poll.Vote", person }) as AnyCommand
const voted = given([], only("poll")).after(
  { ...aRun([]), kind: "poll", question: "Tabs?" } as AnyCommand,
  ...["Ada", "Bo", "Cy"].map(vote)
)
const listed = given([], only("open-items")).after(aRun([aTask("t", { checklist: [{ item: "one" }] })]))
const openItemsOf = composePlugins(only("open-items")).operations.get("open_items")

const typesOf = ({ events }: { readonly events: ReadonlyArray<{ readonly type: string }> }) =>
  events.map(({ type }) => type)

const answer = {
  composed: Object.values(examples).filter(({ name }) => composition.slotOf.has(name)).length,
  frozen: typesOf(worked("frozen-files").when(verified)),
  approved: typesOf(worked("two-people").after(verified).when(approve)),
  poll: kernelStateOf(voted.snapshot).run.status,
  open_items: await Effect.runPromise(
    openItemsOf?.options.run({ limit: 5 } as never, { state: listed.snapshot.state } as never) ?? Effect.succeed(null)
  )
}
process.stdout.write(JSON.stringify(answer))
