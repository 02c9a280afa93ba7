import { Digest } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeProjectFiles } from "@proofline/plugins/adapters/node-project-files"
import type { PluginEntry } from "@proofline/plugins/adapters/project-files"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import {
  type EvidenceVerdict,
  factsOf,
  fileKinds,
  judgeEvidence,
  makeReadFacts,
  type Templates
} from "@proofline/plugins/policies/evidence"
import { ProjectFiles, Syntax } from "@proofline/plugins/ports"
import { Clock, Effect, Layer, Stream } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { linesOf } from "../base/stdinLines.ts"
import {
  type Judge,
  judgeAsAsked,
  judgedTogether,
  judgingHelpers,
  type Line,
  together
} from "../driving/judgingHelpers.ts"
import { print, say } from "../process/output.ts"
import { existingProject, projectConfig } from "../project/files.ts"
import { projectMessages } from "../project/projectMessages.ts"
import { withoutBase } from "../project/withoutBase.ts"
import { verdictLine } from "../render/evidence.ts"
import { styleFor, wantsColor } from "../render/style.ts"

export interface EvidenceOptions {
  /** For another process that judges: evidence comes from there, and goes there. */
  readonly isPart?: boolean
  readonly evidence: ReadonlyArray<string>
  readonly cwd?: string | undefined
  /** Evidence also comes on stdin, one a line. */
  readonly stdin: boolean
  /** One JSON object a line. */
  readonly json: boolean
}

/**
 * `proofline evidence check`: judges evidence as a run does, without one. Answers come in the order of the evidence,
 * each as soon as its line was read. Writes nothing to disk.
 */
export const checkEvidence = Effect.fnUntraced(function* (options: EvidenceOptions) {
  const paths = yield* existingProject(options)
  if (options.evidence.length === 0 && !options.stdin && options.isPart !== true) {
    return yield* stop(exitCodes.usage, {
      code: "evidence_missing",
      message: "No evidence was given.",
      hint: "Give it as arguments, such as src/auth.ts:42-58, or one a line with --stdin."
    })
  }
  const { plugins } = yield* projectConfig(paths)
  const templates = yield* projectMessages(paths)
  const languages = plugins.length === 0 ? [] : yield* languagesOf(paths, plugins)
  const world = Layer.mergeAll(
    // a verdict says nothing of git
    nodeProjectFiles({ root: paths.root, asksGit: false }),
    nodeDigest,
    treeSitter({ languages }),
    withoutBase
  )
  const judging = Effect.flatMap(judgeBy(templates), (judge) =>
    options.isPart === true
      ? Effect.as(judgeAsAsked(judge), exitCodes.proven)
      : Effect.scoped(checkAll(options, judge, paths.root))
  )
  return yield* Effect.provide(judging, world)
})

/** What the plugins of a project bring; stops where one does not fit. */
const languagesOf = Effect.fnUntraced(function* (paths: ProjectPaths, plugins: ReadonlyArray<PluginEntry>) {
  const { compositionOf } = yield* Effect.promise(() => import("../project/compose.ts"))
  const { loaded, problems } = yield* compositionOf(paths, plugins)
  return problems.length > 0
    ? yield* stop(exitCodes.usage, ...problems)
    : loaded.flatMap(({ plugin }) => plugin.languages)
})

const judgeBy = Effect.fnUntraced(function* (templates: Templates) {
  const readFacts = yield* makeReadFacts()
  const files = yield* ProjectFiles
  const { sha256 } = yield* Digest
  const { outline } = yield* Syntax
  // those of plugins are left to runs: they may ask anything of the world
  const kinds = fileKinds({ files, sha256, outline, baseline: null })
  const judge: Judge = (lines) =>
    Effect.map(
      factsOf(
        { readFacts, kinds, files },
        lines.map(({ evidence }, index) => ({ index, evidence })),
        null
      ),
      (facts) => lines.map(({ evidence, item }, i) => judgeEvidence(evidence, item, facts[i], templates, kinds))
    )
  return judge
})

const checkAll = Effect.fnUntraced(function* (options: EvidenceOptions, judge: Judge, root: string) {
  const shown = lineFor(options.json)
  const helpers = yield* Effect.cached(judgingHelpers(root, judge))
  let checked = 0
  let refused = 0
  let isShared = false
  const tell = (verdicts: ReadonlyArray<EvidenceVerdict>) => {
    checked += verdicts.length
    refused += verdicts.filter(({ ok }) => !ok).length
    return print(verdicts.map((verdict) => `${shown(verdict)}\n`).join(""))
  }
  const check = Effect.fnUntraced(function* (evidence: ReadonlyArray<string>, noun: string) {
    const began = yield* Clock.currentTimeMillis
    const lines = evidence.map((text, i): Line => ({ evidence: text, item: `${noun} ${checked + 1 + i}` }))
    for (let done = 0; done < lines.length; done += together) {
      if (isShared) return yield* judgedTogether(judge, yield* helpers, lines.slice(done), tell)
      const now = lines.slice(done, done + together)
      yield* tell(yield* judge(now))
      const tookEach = ((yield* Clock.currentTimeMillis) - began) / (done + now.length)
      isShared = tookEach * (lines.length - done - now.length) > worthMs
    }
  })
  yield* check(options.evidence, "argument")
  if (options.stdin) {
    checked = 0
    yield* Stream.fromAsyncIterable(linesOf(process.stdin), stdinUnreadable).pipe(
      Stream.runForEach((lines) => check(lines, "line"))
    )
    if (checked === 0 && options.evidence.length === 0) yield* say("There was no line on stdin; nothing was checked.")
  }
  return refused === 0 ? exitCodes.proven : exitCodes.unmet
})

/** Where more is left for this process alone, others help: the start of one takes a quarter of that, ms. */
const worthMs = 1_000

const lineFor = (json: boolean): ((verdict: EvidenceVerdict) => string) => {
  const style = styleFor(wantsColor(process.stdout))
  return json ? (verdict) => JSON.stringify(verdict) : (verdict) => verdictLine(verdict, style)
}

const stdinUnreadable = (cause: unknown) =>
  stop(exitCodes.usage, {
    code: "stdin_unreadable",
    message: `Stdin cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: "Give the evidence as arguments, or pipe it in."
  })
