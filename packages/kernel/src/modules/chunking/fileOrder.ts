import { type FileUse, fileMentions, fileUses, projectPath } from "../tasks/fileNames.ts"
import { planOrder } from "./order.ts"
import type { Analysis, PlannedSubtask } from "./schemas.ts"

type Part = Pick<PlannedSubtask, "changes_files" | "dependencies" | "paths" | "prompt">

/**
 * Parts that write one file depend on each other, in the order in which the plan can be run; so does a part that reads
 * what another one writes. A file that is named once for several parts, in the sentence before a list, counts for all
 * of them. Where the words leave open whether a file is written, it is.
 */
export const inFileOrder = (prompt: string, analysis: Analysis): Analysis => {
  const parts = analysis.subtasks
  const order = planOrder(parts)
  if (!analysis.is_decomposable || order === null) return analysis
  const writes = partFiles(prompt, parts)
  const needs = parts.map(({ dependencies }) => new Set(dependencies.map((number) => number - 1)))
  const seen = new Map<string, { writer: number | null; readers: Array<number> }>()
  const need = (later: number, earlier: number | null) => {
    if (earlier !== null && earlier !== later && !reaches(needs, later, earlier)) needs[later]?.add(earlier)
  }
  for (const i of order)
    for (const [path, isWritten] of writes[i] ?? []) {
      const before = seen.get(path) ?? { writer: null, readers: [] }
      need(i, before.writer)
      if (isWritten) for (const reader of before.readers) need(i, reader)
      seen.set(path, isWritten ? { writer: i, readers: [] } : { ...before, readers: [...before.readers, i] })
    }
  return {
    ...analysis,
    subtasks: parts.map((part, i) => ({
      ...part,
      dependencies: [...(needs[i] ?? [])].map((earlier) => earlier + 1).sort((a, b) => a - b)
    }))
  }
}

const reaches = (needs: ReadonlyArray<ReadonlySet<number>>, from: number, to: number): boolean => {
  const found = new Set([from])
  for (const at of found) for (const next of needs[at] ?? []) found.add(next)
  return found.has(to)
}

/** By part: its files, and whether it writes them. */
const partFiles = (prompt: string, parts: ReadonlyArray<Part>): ReadonlyArray<ReadonlyMap<string, boolean>> => {
  const leads = leadsOf(prompt)
  const stripped = parts.map((part) => ({ ...part, prompt: without(part.prompt, leads) }))
  const own = stripped.map(usesOf)
  const common = [...leads, ...backgroundOf(without(prompt, leads), own)]
  return stripped.map((part, i) => {
    const files = new Map([...(own[i] ?? [])].map(([path, use]) => [path, part.changes_files && use !== "read"]))
    for (const lead of common.filter(({ entries }) => isAbout(entries, part.prompt, stripped)))
      for (const [path, use] of lead.uses)
        files.set(path, files.get(path) === true || (part.changes_files && use !== "read"))
    return files
  })
}

/** What a part says itself of files. One that is only listed may be written. */
const usesOf = ({ paths, prompt }: Pick<Part, "paths" | "prompt">): ReadonlyMap<string, FileUse> => {
  const said = new Map(fileUses(prompt))
  for (const path of paths.map(projectPath)) if (!said.has(path)) said.set(path, "named")
  return said
}

/** Words that name files for several parts. */
interface Lead {
  readonly text: string
  readonly uses: ReadonlyMap<string, FileUse>
  /** The entries of the list below; none: for all parts. */
  readonly entries: ReadonlyArray<string>
}

const entry = /^\s*(?:[-*+•・]|\d{1,3}[.)．、]|[①-⑳])\s*(?:\[[ xX]\]\s*)?/u
const heading = /^\s*#/u

/** Sentences that end in a colon, with the list that follows; what follows in the same line counts for all parts. */
const leadsOf = (prompt: string): ReadonlyArray<Lead> => {
  const lines = prompt.split("\n")
  return lines.flatMap((line, at): ReadonlyArray<Lead> => {
    const [, text = ""] = /^(.*[:：])(?:\s|$|\P{ASCII})/u.exec(line) ?? []
    const sentence = lastSentence(text)
    if (entry.test(line) || heading.test(line) || fileMentions(sentence).length === 0) return []
    const isAlone = line.slice(text.length).trim() === ""
    return [{ text: sentence, uses: fileUses(sentence), entries: isAlone ? listBelow(lines.slice(at + 1)) : [] }]
  })
}

const lastSentence = (text: string): string =>
  text
    .split(/(?<=[.!?])\s+|(?<=[。！？])/u)
    .at(-1)
    ?.trim() ?? ""

const listBelow = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const entries: Array<string> = []
  for (const line of lines) {
    if (entry.test(line)) entries.push(oneLine(line.replace(entry, "")))
    else if (line.trim() !== "" && !/^\s/u.test(line)) break
  }
  return entries
}

/** A file that no part names, and that other sentences want written. */
const backgroundOf = (prompt: string, own: ReadonlyArray<ReadonlyMap<string, FileUse>>): ReadonlyArray<Lead> => {
  const uses = new Map(
    [...fileUses(prompt)].filter(([path, use]) => use === "written" && own.every((named) => !named.has(path)))
  )
  return uses.size === 0 ? [] : [{ text: "", uses, entries: [] }]
}

/** A list counts for the parts that were made of its entries; where none can be told, for all. */
const isAbout = (entries: ReadonlyArray<string>, prompt: string, parts: ReadonlyArray<Part>): boolean => {
  const holds = (text: string) => {
    const words = oneLine(text)
    return entries.some((one) => one !== "" && words.includes(one))
  }
  return holds(prompt) || !parts.some((part) => holds(part.prompt))
}

const without = (prompt: string, leads: ReadonlyArray<Lead>): string =>
  leads.reduce((text, lead) => (lead.text === "" ? text : text.replaceAll(lead.text, " ")), prompt)

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").replaceAll(/[*_`]/gu, "").trim()
