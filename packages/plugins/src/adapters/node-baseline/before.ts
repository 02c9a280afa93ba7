import { Effect } from "effect"
import { type Entry, link, submodule } from "../../git/tree.ts"
import type { Before } from "../../port/index.ts"
import type { KnownBase } from "./KnownBase.ts"
import { isUnseen, type SeenFile, sha256 } from "./snapshot.ts"

/** Larger files are not given back as text; the same bound as for evidence. */
const maxTextBytes = 5 * 1024 * 1024

const unknown: Before = { _tag: "unknown" }
const absent: Before = { _tag: "absent" }
const other = (sha: string | null): Before => ({ _tag: "other", sha256: sha })

/** What a file was at the base. Path relative to the root, links resolved. */
export const beforeOf = (base: KnownBase, path: string): Effect.Effect<Before> => {
  const { snapshot, tree } = base
  const known = snapshot.files.get(path)
  if (known !== undefined) return keptBefore(base, known)
  if (tree === null || !snapshot.complete) return Effect.succeed(unknown)
  const entry = tree.get(path)
  if (entry !== undefined) return committedBefore(base, entry)
  if (isUnseen(snapshot, path) || isInSubmodule(tree, path)) return Effect.succeed(unknown)
  return Effect.succeed(isFolder(base, path) ? other(null) : absent)
}

const keptBefore = ({ contents }: KnownBase, file: SeenFile): Effect.Effect<Before> => {
  switch (file.kind) {
    case "gone":
      return Effect.succeed(absent)
    case "link":
      return Effect.succeed(other(null))
    case "other":
      return Effect.succeed(other(file.sha256))
    // version 1: nothing but digests
    case "digests":
      return Effect.succeed(unknown)
    case "text":
      return Effect.map(contents, (all) => {
        const bytes = keptBytes(all, file)
        return bytes === null ? other(file.sha256) : asText(bytes, file.executable)
      })
  }
}

/** The bytes of a file, from the blob of contents; null: they were not kept, or are not what they were. */
export const keptBytes = (
  contents: Uint8Array | null,
  file: { readonly sha256: string | null; readonly start?: number; readonly bytes?: number }
): Uint8Array | null => {
  if (file.start === undefined || file.bytes === undefined) return null
  const bytes = contents?.subarray(file.start, file.start + file.bytes) ?? new Uint8Array()
  return sha256(bytes) === file.sha256 ? bytes : null
}

/** A file as a commit has it. */
export const committedBefore = (
  { readBlob }: Pick<KnownBase, "readBlob">,
  { id, mode }: Entry
): Effect.Effect<Before> =>
  mode === submodule || mode === link
    ? Effect.succeed(other(null))
    : Effect.map(readBlob(id), (bytes) => (bytes === null ? other(null) : asText(bytes, mode === "100755")))

const asText = (bytes: Uint8Array, executable: boolean): Before => {
  if (bytes.length > maxTextBytes || bytes.includes(0)) return other(sha256(bytes))
  try {
    return {
      _tag: "text",
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
      ...(executable ? { executable } : {})
    }
  } catch {
    return other(sha256(bytes))
  }
}

const isFolder = ({ snapshot, tree }: KnownBase, path: string): boolean => {
  const within = `${path}/`
  for (const [name, { kind }] of snapshot.files) if (kind !== "gone" && name.startsWith(within)) return true
  for (const name of tree?.keys() ?? []) if (name.startsWith(within)) return true
  return false
}

export const isInSubmodule = (tree: ReadonlyMap<string, Entry>, path: string): boolean =>
  path.split("/").some((_, i, segments) => tree.get(segments.slice(0, i).join("/"))?.mode === submodule)
