/** The files of a client on the disk: where they are, and all of them written or none. */
import { existsSync, lstatSync, realpathSync, rmdirSync, rmSync, statSync } from "node:fs"
import * as Path from "node:path"
import { readTextFile } from "@proofline/plugins/adapters/project-files"
import { isFull, makeDirectoryNow } from "@proofline/plugins/log"
import { Effect } from "effect"
import { fileText, isWithin } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { freeSpace, writeWholeSync } from "../base/writeWhole.ts"

export interface Found {
  /** From the project directory, as it is known. */
  readonly path: string
  /** Where it really is, or would be. */
  readonly file: string
  readonly isLink: boolean
  /** Null: there is none. */
  readonly text: string | null
}

export interface Change extends Found {
  readonly after: string | null
}

const outside = (path: string, why: string): Stop =>
  stop(exitCodes.usage, {
    code: "path_outside",
    message: `${path} ${why}.`,
    file: path,
    hint: "Only files in the project are written: let the link lead to one of them, or take it away."
  })

const notThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined

/** Where a file of the project really is. Links are followed as long as they stay in the project. */
const place = (root: string, path: string): Effect.Effect<Pick<Found, "file" | "isLink">, Stop> =>
  Effect.suspend(() => {
    const top = realpathSync(root)
    let at = top
    let isLink = false
    for (const name of path.split("/")) {
      const next = Path.join(at, name)
      isLink = lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
      if (!isLink) {
        at = next
        continue
      }
      if (!existsSync(next)) return outside(path, "is a link to what is not there")
      at = realpathSync(next)
      if (!isWithin(top, at)) return outside(path, "leads out of the project")
    }
    return Effect.succeed({ file: at, isLink })
  })

export const find = Effect.fnUntraced(function* (root: string, path: string) {
  const { file, isLink } = yield* place(root, path).pipe(Effect.catchDefect(cannot("read", path)))
  if (notThere(file)) {
    const above = Path.dirname(file)
    if (existsSync(above) && !statSync(above).isDirectory()) {
      return yield* cannot("read", path)(new Error("what holds it is no directory"))
    }
    return { path, file, isLink, text: null } satisfies Found
  }
  const text = yield* readTextFile(file).pipe(
    Effect.mapError(({ code, column, hint, line, message }) =>
      stop(exitCodes.usage, { code, message, hint, file: path, line, column })
    )
  )
  return { path, file, isLink, text } satisfies Found
})

const cannot = (what: "read" | "written", path: string) => (cause: unknown) =>
  Effect.fail(
    stop(what === "read" ? exitCodes.usage : exitCodes.unmet, {
      code: what === "read" ? "file_unreadable" : "file_unwritable",
      message: `${path} cannot be ${what}: ${cause instanceof Error ? cause.message : String(cause)}.`,
      file: path,
      hint: isFull(cause)
        ? freeSpace
        : "Nothing was changed. Make the file and its directory readable and writable for you."
    })
  )

const changedMeanwhile = (path: string): Stop =>
  stop(exitCodes.unmet, {
    code: "file_changed",
    kind: "conflict",
    message: `${path} was changed meanwhile.`,
    file: path,
    hint: "Nothing was written. Call the command again to see what would be done now."
  })

const current = (file: string): string | null => (existsSync(file) ? fileText(file) : null)

/** All changes, or none: what was written before one that fails is put back. */
export const writeAll = Effect.fnUntraced(function* (changes: ReadonlyArray<Change>) {
  const changed = changes.find(({ file, text }) => current(file) !== text)
  if (changed !== undefined) return yield* changedMeanwhile(changed.path)
  const undo: Array<() => void> = []
  for (const change of changes) {
    yield* Effect.try({ try: () => put(change, undo), catch: (cause) => cause }).pipe(
      Effect.catch((cause) => {
        for (const back of undo.reverse()) back()
        return cannot("written", change.path)(cause)
      })
    )
  }
})

const put = ({ after, file, isLink, path, text }: Change, undo: Array<() => void>): void => {
  if (after === null && !isLink) {
    const { mode } = statSync(file)
    rmSync(file)
    undo.push(() => {
      makeDirectoryNow(Path.dirname(file))
      writeWholeSync(file, text ?? "", mode)
    })
    removeEmpty(file, path)
    return
  }
  const first = makeDirectoryNow(Path.dirname(file))
  if (first !== undefined) undo.push(() => rmdirSync(first))
  const mode = text === null ? undefined : statSync(file).mode
  writeWholeSync(file, after ?? "", mode)
  undo.push(() => (text === null ? rmSync(file) : writeWholeSync(file, text, mode)))
}

/** The directory that was made for the file, where nothing else is in it. */
const removeEmpty = (file: string, path: string): void => {
  if (!path.includes("/")) return
  try {
    rmdirSync(Path.dirname(file))
  } catch {
    // something else is in it
  }
}
