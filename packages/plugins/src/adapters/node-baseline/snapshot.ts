/**
 * What a project held when a run began, as far as no commit holds it. One canonical JSON object:
 *
 *     {"complete": true, "contents": "<sha256>", "files": {
 *        "src/a.ts": {"kind": "text", "lines": "…", "sha256": "…", "start": 0, "bytes": 120, "executable": false},
 *        "logo.png": {"kind": "other", "sha256": "…", "start": 120, "bytes": 900, "executable": false},
 *        "big.iso": {"kind": "other", "sha256": null, "stat": "…", "executable": false},
 *        "to": {"kind": "link", "target": "src"}, "old.ts": {"kind": "gone"}},
 *      "format": "proofline-baseline-2", "unseen": ["dist/", ".env"]}
 *
 * - `files`: by path from the root of the project. `text` has lines; `sha256` of its bytes, and of every line eight hex
 *   digits (see lines.ts). `other` was there, but nobody knows its lines (binary, too large, unreadable). `gone`: git
 *   knows it, and it had been deleted.
 * - `contents`: the blob that holds the bytes of files one after the other; null: none. `start` and `bytes` say where in
 *   it; without them the bytes were not kept.
 * - `stat`: of what was too large to be read, to tell whether it is still the same on this disk.
 * - `unseen`: what nobody looked at; with a `/` at the end a folder and all that is in it.
 * - `known`: what git knew of other work when the run began: `refs`, the commits that any ref led to; `at`, the time in
 *   seconds; `head`, where that is not the commit of the base. Left out: outside a repository, and in older bases.
 * - `complete`: false when a bound cut it off, so that a file that is not named may still have been there.
 *
 * In `proofline-baseline-1` a file is `{"lines": "…", "sha256": "…"}` or null, and no bytes are kept. What was a link, was
 * deleted or was empty had no lines.
 */
import { createHash } from "node:crypto"
import { canonicalJson } from "@proofline/kernel"
import { Schema } from "effect"

const format = "proofline-baseline-2"

/** Where the bytes of a file lie in the blob of contents. */
const Kept = { start: Schema.optionalKey(Schema.Int), bytes: Schema.optionalKey(Schema.Int) }

const KnownFile = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("text"),
    sha256: Schema.String,
    lines: Schema.String,
    executable: Schema.Boolean,
    ...Kept
  }),
  Schema.Struct({
    kind: Schema.Literal("other"),
    sha256: Schema.NullOr(Schema.String),
    executable: Schema.Boolean,
    stat: Schema.optionalKey(Schema.String),
    ...Kept
  }),
  Schema.Struct({ kind: Schema.Literal("link"), target: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("gone") })
])
export type KnownFile = typeof KnownFile.Type

const Common = { complete: Schema.Boolean, unseen: Schema.Array(Schema.String) }

const Digests = Schema.Struct({ sha256: Schema.String, lines: Schema.String })

const Version1 = Schema.Struct({
  ...Common,
  format: Schema.Literal("proofline-baseline-1"),
  files: Schema.Record(Schema.String, Schema.NullOr(Digests))
})

/** What git knew when a run began. */
const KnownCommits = Schema.Struct({
  at: Schema.Int,
  refs: Schema.Array(Schema.String),
  head: Schema.optionalKey(Schema.String)
})
export type KnownCommits = typeof KnownCommits.Type

const Version2 = Schema.Struct({
  ...Common,
  known: Schema.optionalKey(KnownCommits),
  format: Schema.Literal(format),
  contents: Schema.NullOr(Schema.String),
  files: Schema.Record(Schema.String, KnownFile)
})

/** Digests alone, of version 1. */
export type SeenFile = KnownFile | { readonly kind: "digests"; readonly sha256: string; readonly lines: string }

export interface Snapshot {
  readonly complete: boolean
  /** Name of the blob that holds the contents; null: none were kept. */
  readonly contents: string | null
  readonly files: ReadonlyMap<string, SeenFile>
  readonly unseen: ReadonlyArray<string>
  readonly known?: KnownCommits
}

export const encode = ({
  complete,
  contents,
  files,
  known,
  unseen
}: Omit<Snapshot, "files"> & { readonly files: ReadonlyMap<string, KnownFile> }): string =>
  canonicalJson({
    format,
    complete,
    contents,
    files: Object.fromEntries(files),
    ...(known === undefined ? {} : { known }),
    unseen: [...unseen].sort()
  })

/** Null: it is none. */
export const decode = (bytes: Uint8Array): Snapshot | null => {
  try {
    const document = decodeDocument(JSON.parse(Buffer.from(bytes).toString()))
    return document.format === format
      ? { ...document, files: new Map(Object.entries(document.files)) }
      : { ...document, contents: null, files: new Map(Object.entries(document.files).map(lifted)) }
  } catch {
    return null
  }
}

const decodeDocument = Schema.decodeUnknownSync(Schema.Union([Version1, Version2]))

const lifted = ([path, file]: readonly [string, typeof Digests.Type | null]): readonly [string, SeenFile] => [
  path,
  file === null ? { kind: "other", sha256: null, executable: false } : { kind: "digests", ...file }
]

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Whether a path is one of those nobody looked at, or below one. */
export const isUnseen = ({ unseen }: Snapshot, path: string): boolean =>
  unseen.some((entry) => (entry.endsWith("/") ? path.startsWith(entry) : path === entry))
