import { statSync } from "node:fs"
import * as Path from "node:path"
import { Digest, type Recorded } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Clock, Effect, Stream } from "effect"
import { logArchiveDocument, logRestoreDocument } from "../documents/log.ts"
import { type ArchivedRun, type Checked, checkArchive, readArchive } from "../moving/archiveFile.ts"
import { open, placeOf, type Side } from "../moving/side.ts"
import { print, printDocument } from "../output.ts"
import { fileNamed, type Where } from "../paths.ts"
import { exitCodes, type Problem, problemText } from "../problems.ts"
import { count } from "../render/lines.ts"

export interface LogRestoreOptions extends Where {
  readonly file: string
  readonly json: boolean
}

type Restored = (typeof logRestoreDocument.data.Type)["runs"][number]

/** `proofline log restore FILE`: brings back the runs of an archive, after all of it was checked. */
export const logRestore = Effect.fnUntraced(function* (options: LogRestoreOptions) {
  const place = yield* placeOf(undefined, options)
  const file = Path.resolve(fileNamed(options.file, place.paths).file)
  const { sha256 } = yield* Effect.provide(Digest, nodeDigest)
  const checked = yield* checkArchive(file, sha256)
  const runs = yield* Effect.scoped(Effect.flatMap(open(place), (side) => restoreAll(side, file, checked)))
  yield* options.json ? printDocument(logRestoreDocument, { file, runs }) : print(textOf(file, runs))
  return runs.some(({ outcome }) => outcome === "refused") ? exitCodes.integrity : exitCodes.proven
})

/** Events that are written at once. */
const pageEvents = 1_000

/** How far a run has come back. */
interface Coming {
  readonly run: ArchivedRun
  version: number
  page: Array<Recorded>
  problem: Problem | null
  readonly wasThere: boolean
}

const restoreAll = Effect.fnUntraced(function* (side: Side, file: string, { header }: Checked) {
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const arriving = { place: file, at }
  const coming = new Map<string, Coming>()
  for (const run of header.runs) coming.set(run.run_id, yield* begin(side, run, arriving))
  const flush = (one: Coming) =>
    one.problem !== null || one.page.length === 0
      ? Effect.void
      : side.log.adopt(one.run.run_id, one.version, one.page.splice(0), { arriving }).pipe(
          Effect.tap((taken) =>
            Effect.sync(() => {
              one.version += taken.length
            })
          ),
          Effect.catchTag(["ChainBroken", "Conflict"], () =>
            Effect.sync(() => {
              one.problem = differs(one.run.run_id, side)
            })
          )
        )
  yield* readArchive(file, {
    header: () => Effect.void,
    event: (event) => {
      const one = coming.get(event.stream) as Coming
      if (event.version <= one.version + one.page.length) return Effect.void
      one.page.push(event)
      return one.page.length >= pageEvents ? flush(one) : Effect.void
    },
    blob: (_, bytes) => Effect.asVoid(side.blobs.put(bytes))
  })
  return yield* Effect.forEach(coming.values(), (one) =>
    Effect.gen(function* () {
      yield* flush(one)
      const { hash, head, run_id, version } = one.run
      if (one.problem === null && !one.wasThere) {
        if (head !== null) yield* side.heads.keep(head)
        yield* side.log.adopt(run_id, version, []).pipe(
          Effect.catchTag(["ChainBroken", "Conflict"], () =>
            Effect.sync(() => {
              one.problem = differs(run_id, side)
            })
          )
        )
      }
      const outcome = one.problem !== null ? "refused" : one.wasThere ? "there" : "restored"
      return { run_id, outcome, events: version, hash, problem: one.problem } satisfies Restored
    })
  )
})

/** Asks for nothing but where the run is; from there it goes on. */
const begin = Effect.fnUntraced(function* (side: Side, run: ArchivedRun, arriving: { place: string; at: string }) {
  const away = yield* side.log.away(run.run_id)
  const version = yield* side.log.adopt(run.run_id, 0, [], { arriving }).pipe(
    Effect.as(0),
    Effect.catchTag("Conflict", ({ actual }) => Effect.succeed(actual)),
    Effect.catchTag("ChainBroken", () => Effect.succeed(0))
  )
  const isHome = version > 0 && away === null
  const same = isHome && (yield* holdsAt(side, run))
  const problem = isHome && !same ? differs(run.run_id, side) : null
  return {
    run,
    version: isHome ? run.version : version,
    page: [],
    problem,
    wasThere: isHome
  } satisfies Coming as Coming
})

const holdsAt = (side: Side, { hash, run_id, version }: ArchivedRun) =>
  Effect.map(
    Stream.runHead(side.log.read(run_id, version)),
    (found) => found._tag === "Some" && found.value.hash === hash
  )

const differs = (run: string, { name }: Side): Problem => ({
  code: "run_differs",
  kind: "conflict",
  message: `Run ${run} is another one in ${name} than in the archive.`,
  hint: "It was left as it is; the others were brought back."
})

const textOf = (file: string, runs: ReadonlyArray<Restored>): string =>
  [
    `From ${file}:`,
    ...runs.map(({ events, hash, outcome, problem, run_id }) =>
      problem === null
        ? `  ${run_id}  ${outcome === "there" ? "was there" : "restored"}: ${count(events, "event")}, hash ${hash}`
        : `  ${run_id}  refused: ${problemText(problem)}`
    ),
    ""
  ].join("\n")

/** `proofline verify FILE` of an archive. */
export const verifyArchive = Effect.fnUntraced(function* (file: string, json: boolean) {
  const { sha256 } = yield* Effect.provide(Digest, nodeDigest)
  const { blobs, events, header, missing } = yield* checkArchive(file, sha256)
  const runs = header.runs.map(({ ended_at, hash, run_id, status, version }) => ({
    run_id,
    status,
    ended_at,
    events: version,
    hash
  }))
  yield* json
    ? printDocument(logArchiveDocument, {
        file,
        action: "verified",
        runs,
        events,
        blobs,
        blobs_missing: missing,
        bytes: statSync(file).size,
        left: []
      })
    : print(
        `${runs.map((run) => `  ${run.run_id}  ${count(run.events, "event")}, hash ${run.hash}\n`).join("")}${count(runs.length, "run")} with ${count(events, "event")} and ${count(blobs, "blob")}: every hash was computed again, and all is as it was.${missing.length === 0 ? "" : ` ${count(missing.length, "blob")} were gone when it was made.`}\n`
      )
  return exitCodes.proven
})
