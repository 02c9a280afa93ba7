import { mkdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import type { Base } from "@proofline/kernel"
import { layer as blobs } from "@proofline/plugins/adapters/file-blobs"
import { layer } from "@proofline/plugins/adapters/node-baseline"
import { layer as digest } from "@proofline/plugins/adapters/node-digest"
import { Baseline, BlobStore } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { begin, git, room, write } from "../repositories.ts"

/** A directory with a project in it; the blobs and what else there may be lie beside the project. */
export const sandbox = Effect.map(room("proofline-baseline-"), (outside) => projectIn(outside, "project"))

export const projectIn = (outside: string, name: string, state?: string) => {
  const root = Path.join(outside, name)
  mkdirSync(root, { recursive: true })
  const at = (path: string) => Path.join(root, path)
  return {
    outside,
    root,
    at,
    write: (path: string, content: string | Uint8Array) => write(root, { [path]: content }),
    git: (...words: ReadonlyArray<string>) => git(root, ...words),
    /** Makes it a repository with what is in it as its first commit. */
    commit: () => begin(root, {}),
    services: Layer.provideMerge(
      layer({ root, ...(state === undefined ? {} : { state }) }),
      Layer.provide(blobs({ directory: Path.join(outside, "blobs") }), digest)
    )
  }
}

export type Project = ReturnType<typeof projectIn>

export const capture = ({ services }: Project) =>
  Effect.provide(
    Effect.flatMap(Baseline, (baseline) => baseline.capture),
    services
  )

/**
 * Which lines of a file count as touched since the base, e.g. `-++-` of four lines; `?`: nobody knows. A `/` stands
 * between two lines that are untouched by themselves but not together: something between them was taken out.
 */
export const touched = ({ at, services }: Project, base: Base, path: string) =>
  Effect.gen(function* () {
    const text = readFileSync(at(path), "utf8")
    const changes = yield* (yield* Baseline).changes(base, path, text)
    if (changes === null) return "?"
    const lines = (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((_, i) => changes.touched(i + 1, i + 1))
    return lines
      .map((isTouched, i) => {
        const isCut = !isTouched && lines[i + 1] === false && changes.touched(i + 1, i + 2)
        return `${isTouched ? "+" : "-"}${isCut ? "/" : ""}`
      })
      .join("")
  }).pipe(Effect.provide(services))

export const wasAt = ({ services }: Project, base: Base, path: string) =>
  Effect.provide(
    Effect.flatMap(Baseline, (baseline) => baseline.before(base, path)),
    services
  )

export const isIgnored = ({ services }: Project, path: string) =>
  Effect.provide(
    Effect.flatMap(Baseline, (baseline) => baseline.isIgnored(path)),
    services
  )

/** The snapshot as it lies in the blob store. */
export const snapshotOf = ({ services }: Project, { snapshot }: Base) =>
  Effect.gen(function* () {
    const bytes = yield* (yield* BlobStore).get(snapshot.sha256)
    return JSON.parse(Buffer.from(bytes).toString()) as {
      readonly complete: boolean
      readonly contents: string | null
      readonly files: Readonly<
        Record<string, { readonly kind: string; readonly sha256?: string | null; readonly lines?: string }>
      >
      readonly unseen: ReadonlyArray<string>
    }
  }).pipe(Effect.provide(services))
