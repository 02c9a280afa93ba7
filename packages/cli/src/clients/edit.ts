/** What becomes of the text of a client's file; null is a file that is not there. */

import { agentsBlock, ownerOf, programOf } from "@proofline/plugins/told"
import { ConfigFault } from "./ConfigFault.ts"
import * as Json from "./json.ts"
import { blockIn, freshBlock, renewedBlock, withBlock, withoutBlock } from "./markdown.ts"
import { type ClientFile, commandsOf, isAbout, startsIn } from "./table.ts"
import { freshTable, tableAt, tableOf, withoutTable, withTable } from "./toml.ts"

/** A file for the words with which Proofline is started. */
export type FileFor = (start: ReadonlyArray<string>) => ClientFile

export interface Editing {
  readonly file: FileFor
  readonly start: ReadonlyArray<string>
  /** Something of our name that says something else is replaced, or taken out, too. */
  readonly replace: boolean
}

/** Something of our name is there that is none of ours. */
export class EntryDiffers extends Error {
  readonly what: string
  /** Offset in the text. */
  readonly at: number
  constructor(what: string, at: number) {
    super(what)
    this.what = what
    this.at = at
  }
}

const bom = "\uFEFF"

/** A byte order mark stays where it is. */
const behindMark = (text: string | null, use: (text: string | null) => string | null): string | null => {
  const mark = text?.startsWith(bom) ? bom : ""
  const made = use(text === null ? null : text.slice(mark.length))
  return made === null ? null : mark + made
}

export const installed = (text: string | null, { file, replace, start }: Editing): string | null =>
  behindMark(text, (before) => {
    const wanted = file(start)
    if (before === null) return freshText(wanted)
    switch (wanted.format) {
      case "json":
        return wanted.entries.reduce((now, entry, index) => putIn(now, entry, file, index, replace), before)
      case "toml": {
        const { path, values } = wanted.table
        const found = tableOf(before, path)
        if (found === undefined) return withTable(before, wanted.table)
        if (Json.isSame(found, values)) return before
        if (!replace && !isOurTable(found, file)) throw new EntryDiffers(path.join("."), tableAt(before, path))
        return withTable(withoutTable(before, path), wanted.table)
      }
      case "markdown": {
        const found = blockIn(before)
        if (found === null) return withBlock(before, wanted.lines)
        // what was agreed to once stays its own
        const program = programOf(found.lines) ?? undefined
        const lines = ownerOf(wanted.lines) === "init" ? wanted.lines : agentsBlock(ownerOf(found.lines), program)
        return Json.isSame(found.lines, lines) ? before : renewedBlock(before, found, lines)
      }
    }
  })

export const removed = (text: string | null, { file, replace }: Omit<Editing, "start">): string | null =>
  behindMark(text, (before) => {
    if (before === null || startsOf(before).some((start) => freshText(file(start)) === before)) return null
    const ours = file([])
    switch (ours.format) {
      case "json":
        return takeOut(before, ours.entries, file, replace)
      case "toml": {
        const { path } = ours.table
        const found = tableOf(before, path)
        if (found === undefined) return before
        if (!replace && !isOurTable(found, file)) throw new EntryDiffers(path.join("."), tableAt(before, path))
        return withoutTable(before, path)
      }
      case "markdown": {
        const found = blockIn(before)
        if (found === null || (ownerOf(found.lines) === "init" && ownerOf(ours.lines) !== "init")) return before
        // it was made for the block, whatever that said then
        return found.start === 0 && found.end === before.length ? null : withoutBlock(before, found)
      }
    }
  })

/** With which words a file that was made here may start Proofline. */
const startsOf = (text: string) =>
  startsIn([
    ...Array.from(text.matchAll(/"--prefix", ("(?:[^"\\]|\\.)*")/g), ([, path = '""']) => [
      "--prefix",
      JSON.parse(path)
    ]),
    ...Array.from(text.matchAll(/"\/(?:[^"\\]|\\.)*\/proofline"/g), ([path]) => JSON.parse(path))
  ])

/** The commands that the entries of our name start, as words, each with where its entry begins; none of what is no command. */
export const commandsIn = (
  text: string,
  file: ClientFile
): ReadonlyArray<{ readonly words: ReadonlyArray<string>; readonly at: number }> => {
  const mark = text.startsWith(bom) ? bom.length : 0
  const here = text.slice(mark)
  switch (file.format) {
    case "json":
      return file.entries.flatMap((entry) =>
        Json.valuesAt(here, entry)
          .filter(({ value }) => entry.key !== undefined || isAbout(value))
          .flatMap(({ at, value }) => commandsOf(value).map((words) => ({ words, at: at + mark })))
      )
    case "toml": {
      const found = tableOf(here, file.table.path)
      return commandsOf(found).map((words) => ({ words, at: tableAt(here, file.table.path) + mark }))
    }
    case "markdown":
      return []
  }
}

/** Whether a file holds something of our name, whatever it says. */
export const isIn = (text: string, file: ClientFile): boolean => {
  const here = text.startsWith(bom) ? text.slice(bom.length) : text
  try {
    if (file.format === "json") return file.entries.some((entry) => entry.key && Json.valuesAt(here, entry).length > 0)
    return file.format === "toml" ? tableOf(here, file.table.path) !== undefined : blockIn(here) !== null
  } catch {
    // in doubt it is
    return here.includes("proofline")
  }
}

const freshText = (file: ClientFile): string => {
  switch (file.format) {
    case "json":
      return Json.fresh(file.entries, file.more)
    case "toml":
      return freshTable(file.table)
    case "markdown":
      return freshBlock(file.lines)
  }
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

interface Found {
  readonly value: unknown
  readonly at: number
}

/** As it is written for any words with which Proofline may be started. */
const isOurs = ({ value }: Found, file: FileFor, index: number): boolean =>
  startsIn(value).some((start) => {
    const one = file(start)
    return one.format === "json" && Json.isSame(one.entries[index]?.value, value)
  })

/** What stands where only one of ours may stand, and is not ours. */
const otherOf = (entry: Json.Entry, found: ReadonlyArray<Found>): Found | undefined => {
  if (entry.key !== undefined) return found[0]
  return typeof entry.value === "object" ? found.find(({ value }) => isAbout(value)) : undefined
}

const nameOf = ({ in: path, key }: Json.Place): string => [...path, ...(key === undefined ? [] : [key])].join(".")

const putIn = (text: string, entry: Json.Entry, file: FileFor, index: number, replace: boolean): string => {
  const found = Json.valuesAt(text, entry)
  if (found.some(({ value }) => Json.isSame(value, entry.value))) return text
  const ours = found.find((one) => isOurs(one, file, index))
  const other = ours ?? otherOf(entry, found)
  if (other === undefined) return Json.inserted(text, entry)
  if (ours === undefined) mayReplace(entry, other, replace)
  return Json.replaced(text, entry, other.at)
}

const mayReplace = (entry: Json.Entry, { at, value }: Found, replace: boolean): void => {
  if (!replace) throw new EntryDiffers(nameOf(entry), at)
  const { hooks = [] } = Object(value) as { readonly hooks?: unknown }
  if (entry.key === undefined && Array.isArray(hooks) && hooks.length > 1) {
    throw new ConfigFault("unexpected", "Our hook stands together with others", at)
  }
}

/** The last first: each was put behind what was there then. */
const takeOut = (text: string, entries: ReadonlyArray<Json.Entry>, file: FileFor, replace: boolean): string | null => {
  let now: string | null = text
  for (const [index, entry] of Array.from(entries.entries()).reverse()) {
    while (now !== null) {
      const found: ReadonlyArray<Found> = Json.valuesAt(now, entry)
      const ours = found.findLast((one) => isOurs(one, file, index))
      const other = ours ?? otherOf(entry, found)
      if (other === undefined) break
      if (ours === undefined) mayReplace(entry, other, replace)
      now = Json.removed(now, entry, other.at)
    }
  }
  return now
}

// ---- TOML ----------------------------------------------------------------------------------------------------------

const isOurTable = (found: unknown, file: FileFor): boolean =>
  startsIn(found).some((start) => {
    const one = file(start)
    return one.format === "toml" && Json.isSame(one.table.values, found)
  })
