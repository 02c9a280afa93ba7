/** What becomes of the files of a project that are edited for agents, and how that is told. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff"
import { Effect } from "effect"
import { exitCodes, type Problem, type Stop, stop } from "../base/problems.ts"
import { ConfigFault } from "./ConfigFault.ts"
import { EntryDiffers } from "./edit.ts"
import type { Change, Found } from "./files.ts"

/** A file as an edit leaves it; what keeps the edit from being made is a problem of the file. */
export const edited = (
  found: Found,
  edit: (text: string | null) => string | null
): Effect.Effect<string | null, Stop> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(edit(found.text))
    } catch (cause) {
      const problem = problemOf(cause, found)
      if (problem === null) throw cause
      return stop(exitCodes.usage, problem)
    }
  })

/** What is wrong with a file of a client; null: it is no fault of the file. */
export const problemOf = (cause: unknown, { path, text }: Pick<Found, "path" | "text">): Problem | null => {
  if (cause instanceof EntryDiffers) {
    return {
      code: "entry_differs",
      kind: "conflict",
      message: `\`${cause.what}\` is there already, and says something else than Proofline writes.`,
      file: path,
      ...positionOf(text, cause.at),
      hint: "Change it by hand, or let it go with --replace."
    }
  }
  if (!(cause instanceof ConfigFault)) return null
  return {
    code: cause.kind === "invalid" ? "client_file_invalid" : "client_file_unexpected",
    message: `${cause.message}.`,
    file: path,
    ...positionOf(text, cause.at),
    hint: "Nothing was written. Mend the file, and call the command again."
  }
}

export const positionOf = (text: string | null, at: number) => {
  const lines = (text ?? "")
    .replace(/^\uFEFF/, "")
    .slice(0, at)
    .split("\n")
  return { line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 }
}

/** What is done to a file. */
export const actionOf = ({ after, text }: Change): "unchanged" | "create" | "remove" | "change" => {
  if (after === text) return "unchanged"
  if (text === null) return "create"
  return after === null ? "remove" : "change"
}

/** A change as a patch; empty: there is none. */
export const diffOf = ({ after, path, text }: Change): string => {
  if (after === text) return ""
  const [from, to] = [text === null ? "/dev/null" : `a/${path}`, after === null ? "/dev/null" : `b/${path}`]
  return createTwoFilesPatch(from, to, text ?? "", after ?? "", undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY
  })
}
