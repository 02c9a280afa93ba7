import { Agents, Digest, type EvidenceFile } from "@proofline/kernel"
import { diffArrays } from "diff"
import { Context, Effect, Layer, Schema } from "effect"
import {
  Baseline,
  type Before,
  BlobStore,
  type Changes,
  CommandRunner,
  EscrowedChecks,
  FileRefused,
  OutputFiles,
  type ProjectFile,
  ProjectFiles,
  type ProjectReader,
  ScratchCheckouts,
  ScratchProjects,
  TestReports,
  type Workspace,
  Workspaces
} from "../../port/index.ts"

/** A rule has asked for something that the log does not hold. A defect: no rule is to make anything of it. */
export class NotRecorded extends Schema.TaggedError<NotRecorded>()("NotRecorded", { message: Schema.String }) {}

/** What was read when evidence was looked at, in the place of the project. */
export class RecordedEvidence extends Context.Service<
  RecordedEvidence,
  {
    /** Lets rules look at evidence with these files and no others. One at a time. */
    readonly within: <A, E, R>(
      files: ReadonlyArray<EvidenceFile>,
      look: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
  }
>()("@proofline/plugins/adapters/recorded-evidence") {}

const nowhere = "/recorded"

const missing = (what: string): Effect.Effect<never> =>
  Effect.die(new NotRecorded({ message: `${what} is not in the log.` }))

/**
 * The ports of policies over what a log holds: files as they were read, and what they were before. Whatever else is asked for ends
 * with `NotRecorded`: no project is read, nothing is started, and nothing is written.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const store = yield* BlobStore
    const { sha256 } = yield* Digest
    let files: ReadonlyMap<string, EvidenceFile> = new Map()

    const fileAt = (path: string): Effect.Effect<EvidenceFile> => {
      const found = files.get(path)
      return found === undefined ? missing(`The file ${path}`) : Effect.succeed(found)
    }
    const textOf = (ref: { readonly sha256: string } | null, path: string): Effect.Effect<string> =>
      ref === null
        ? missing(`The text of ${path}`)
        : store.get(ref.sha256).pipe(
            Effect.map((bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)),
            Effect.catch(() => missing(`The text of ${path}`))
          )

    const reader: ProjectReader = {
      root: nowhere,
      readText: Effect.fnUntraced(function* (path): Effect.fn.Return<ProjectFile, FileRefused> {
        const { git_blob, git_commit, refused, text } = yield* fileAt(path)
        if (refused !== undefined) {
          return yield* new FileRefused({ path, reason: refused.reason, message: refused.message })
        }
        return { path, text: yield* textOf(text, path), git_blob, git_commit }
      }),
      digest: (path) => missing(`The digest of ${path}`),
      entryAt: (path) => missing(`What is at ${path}`),
      resolveTarget: (path) => missing(`What is at ${path}`),
      paths: missing("The list of files"),
      at: () => reader
    }

    const before = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Before> {
      const { before: was } = yield* fileAt(path)
      if (was === undefined || was === null) return yield* missing(`What ${path} was before the run`)
      switch (was.was) {
        case "text":
          return { _tag: "text", text: yield* textOf(was.text, path) }
        case "other":
          return { _tag: "other", sha256: was.sha256 }
        default:
          return { _tag: was.was }
      }
    })

    const workspace = { directory: nowhere } as Workspace
    const command = missing("What a command would print")

    return Layer.mergeAll(
      Layer.succeed(RecordedEvidence, {
        within: (given, look) =>
          Effect.suspend(() => {
            files = new Map(given.map((file) => [file.path, file]))
            return look
          })
      }),
      Layer.succeed(ProjectFiles, reader),
      Layer.succeed(Baseline, {
        capture: missing("The project"),
        captureAt: () => missing("The project"),
        changes: (_, path, text) =>
          Effect.map(before(path), (was) =>
            was._tag === "text" ? changesBetween(was.text, text) : was._tag === "absent" ? everything : null
          ),
        before: (_, path) => before(path),
        came: () => missing("The project"),
        isIgnored: (path) =>
          Effect.flatMap(fileAt(path), ({ ignored }) =>
            ignored === undefined ? missing(`Whether git ignores ${path}`) : Effect.succeed(ignored)
          ),
        restore: () => missing("The project"),
        changedIn: () => missing("The project")
      }),
      Layer.succeed(Workspaces, {
        open: () => Effect.succeed(workspace),
        aggregate: () => missing("What parts come to together"),
        close: () => Effect.succeed({ stays: [], removed: [] })
      }),
      Layer.succeed(BlobStore, {
        ...store,
        // nothing is kept
        put: (data) => {
          const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data
          return Effect.succeed({ sha256: sha256(bytes), bytes: bytes.length })
        }
      }),
      Layer.succeed(CommandRunner, { run: () => command }),
      Layer.succeed(Agents, { names: [], run: () => missing("What an agent would answer") }),
      Layer.succeed(EscrowedChecks, { open: () => command }),
      Layer.succeed(OutputFiles, { write: () => Effect.succeed(null) }),
      Layer.succeed(ScratchCheckouts, { make: () => missing("The project") }),
      Layer.succeed(ScratchProjects, { make: () => missing("The project") }),
      Layer.succeed(TestReports, { around: () => command, named: () => Effect.succeed([]) })
    )
  })
)

const everything: Changes = { touched: () => true }

const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split(/\r?\n/)
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

/** Lines are touched that are new, and those between which something was taken out. */
const changesBetween = (before: string, now: string): Changes => {
  const isNew = new Set<number>()
  const cuts = new Set<number>()
  let line = 0
  for (const { added, count, removed } of diffArrays([...linesOf(before)], [...linesOf(now)])) {
    if (removed) cuts.add(line)
    else {
      if (added) for (let i = 1; i <= count; i++) isNew.add(line + i)
      line += count
    }
  }
  return {
    touched: (start, end) =>
      [...isNew].some((row) => row >= start && row <= end) || [...cuts].some((row) => row >= start && row < end)
  }
}
