import {
  type Activity,
  Digest,
  type EvidenceFact,
  type FileRefused,
  type RecordEvidence,
  type ReportedItem,
  taskOf,
  Workspace,
  type WorkspaceFile
} from "@proofline/kernel"
import { Effect, Result } from "effect"
import type { EmptinessRule } from "./emptiness.ts"
import { splitLines } from "./lines.ts"
import { parse, type Reference } from "./reference.ts"

/** What a file turned out to be: its lines, or why there are none to read. */
type Read = Result.Result<{ readonly file: WorkspaceFile; readonly lines: ReadonlyArray<string> }, FileRefused>

/**
 * Looks at what a report cites. Says nothing when the attempt the work was meant for is over or was looked at before.
 * Every file is read once, so all facts of one file speak of the same content.
 */
export const makeEvidenceActivity = (isEmpty: EmptinessRule): Effect.Effect<Activity, never, Workspace | Digest> =>
  Effect.gen(function* () {
    const workspace = yield* Workspace
    const digest = yield* Digest

    const read = (path: string): Effect.Effect<Read> =>
      workspace.readText(path).pipe(
        Effect.map((file) => ({ file, lines: splitLines(file.text) })),
        Effect.result
      )

    return Effect.fnUntraced(function* ({ item, state }) {
      const current = item.task_id === null ? null : taskOf(state, item.task_id)?.current
      if (
        item.task_id === null ||
        current == null ||
        current.facts !== null ||
        !isMeantFor(current.attempt, item.input)
      )
        return null
      const cited = citations(current.report?.checklist ?? [])
      const paths = new Set(
        cited.flatMap(({ reference }) => (Result.isSuccess(reference) ? reference.success.path : []))
      )
      const files = new Map(
        yield* Effect.forEach(paths, (path) => Effect.map(read(path), (file) => [path, file] as const), {
          concurrency: filesAtOnce
        })
      )
      const facts = cited.map((citation) => factOf(citation, files, isEmpty, digest.sha256))
      const command: RecordEvidence = { _tag: "RecordEvidence", task_id: item.task_id, attempt: current.attempt, facts }
      return command
    })
  })

const filesAtOnce = 8

const isMeantFor = (attempt: number, input: unknown): boolean => {
  const meant = (input as { readonly attempt?: unknown } | null)?.attempt
  return meant === undefined || meant === attempt
}

interface Citation {
  readonly index: number
  readonly evidence: string
  readonly reference: Result.Result<Reference, string>
}

const citations = (checklist: ReadonlyArray<ReportedItem>): ReadonlyArray<Citation> =>
  checklist.flatMap(({ evidence, status }, index) =>
    status === "done" && evidence != null && evidence.trim() !== ""
      ? [{ index, evidence, reference: parse(evidence) }]
      : []
  )

const factOf = (
  { evidence, index, reference }: Citation,
  files: ReadonlyMap<string, Read>,
  isEmpty: EmptinessRule,
  sha256: (text: string) => string
): EvidenceFact => {
  const nothing = { index, evidence, path: null, start: null, end: null, total: null, receipt: null }
  if (Result.isFailure(reference)) return { ...nothing, outcome: "format_invalid", detail: reference.failure }
  const { end, path, start } = reference.success
  const read = files.get(path)
  if (read === undefined || Result.isFailure(read))
    return { ...nothing, path, start, end, outcome: "file_not_found", detail: read?.failure.message ?? "" }
  const { file, lines } = read.success
  const seen = { ...nothing, path, start, end, total: lines.length }
  if (end > lines.length) return { ...seen, outcome: "out_of_range", detail: "" }
  const empty = isEmpty(path, lines, { start, end })
  if (empty !== null) return { ...seen, outcome: "empty", detail: empty.reason }
  const receipt = {
    path,
    start,
    end,
    sha256: sha256(lines.slice(start - 1, end).join("")),
    git_blob: file.git_blob,
    git_commit: file.git_commit
  }
  return { ...seen, outcome: "ok", detail: "", receipt }
}
