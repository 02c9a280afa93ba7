/** The files in which agents look for what a project wants of them, and the lines of Proofline in them. */
import { agentsBlock, type BlockOwner, ownerOf, programOf } from "@proofline/plugins/told"
import { Effect } from "effect"
import { exitCodes, type Problem, type Stop, stop } from "../base/problems.ts"
import { startCommand } from "../process/output.ts"
import { edited } from "./changes.ts"
import { installed, removed } from "./edit.ts"
import { type Change, type Found, find } from "./files.ts"
import { blockIn, withoutCode } from "./markdown.ts"
import type { ClientFile } from "./table.ts"

/** Most agents read the standard one; it is made where there is none of them. */
const standard = "AGENTS.md"
/** Read by one client each, which can bring the standard one along: `@AGENTS.md`. */
const others = ["CLAUDE.md", "GEMINI.md"]

const bringsStandard = ({ path, text }: Found): boolean =>
  path !== standard && text !== null && /(?:^|\s)@(?:\.\/)?AGENTS\.md(?=[\s.,;:)]|$)/m.test(withoutCode(text))

const hasBlock = ({ text }: Found): boolean => {
  try {
    return text !== null && blockIn(text) !== null
  } catch {
    // it has a part of one
    return true
  }
}

/** The file that says to a client what is to stand in this one: a file that brings the standard one along needs nothing itself. */
export const placeOfBlock = Effect.fnUntraced(function* (root: string, path: string) {
  const found = yield* find(root, path)
  return bringsStandard(found) && !hasBlock(found) ? yield* find(root, standard) : found
})

/** Those that are there, each once; one that is a link out of the project is none of it. */
const filesOf = (
  root: string
): Effect.Effect<{ readonly found: ReadonlyArray<Found>; readonly outside: Stop | null }, Stop> =>
  Effect.gen(function* () {
    const found = new Map<string, Found>()
    let outside: Stop | null = null
    for (const name of [standard, ...others]) {
      const one = yield* Effect.result(find(root, name))
      if (one._tag === "Failure") {
        if (one.failure.problems.some(({ code }) => code !== "path_outside")) return yield* one.failure
        outside ??= one.failure
      } else if (!found.has(one.success.file)) found.set(one.success.file, one.success)
    }
    return { found: [...found.values()], outside }
  })

/** The files that are to have the lines: each that is there and does not bring them along, and the standard one where none is. */
const placesIn = Effect.fnUntraced(function* (root: string): Effect.fn.Return<ReadonlyArray<Found>, Stop> {
  const { found, outside } = yield* filesOf(root)
  const there = found.filter(({ text }) => text !== null)
  const isBrought = there.some(bringsStandard)
  const places = there.filter((one) => !bringsStandard(one) || hasBlock(one))
  const made = found.filter(({ path, text }) => path === standard && text === null && (isBrought || there.length === 0))
  const all = [...made, ...places]
  return all.length > 0 || outside === null ? all : yield* outside
})

const fileOf = (path: string, owner: BlockOwner, program: string): ClientFile => ({
  format: "markdown",
  path,
  lines: agentsBlock(owner, program)
})

/** How the lines in this text start Proofline; where there are none, as this one is started. */
const programIn = (text: string): string => programOf(blockIn(text)?.lines ?? []) ?? startCommand()

/** What becomes of these files with the lines, or without them; fails with all that is wrong with any of them. */
export const changesOfAgentFiles = Effect.fnUntraced(function* (
  root: string,
  isRemoved: boolean
): Effect.fn.Return<ReadonlyArray<Change>, Stop> {
  const places = isRemoved ? (yield* filesOf(root)).found.filter(({ text }) => text !== null) : yield* placesIn(root)
  return yield* changed(places, isRemoved, () => "init")
})

/** The same for the lines that are there already and say something else than they do now; whoever has put them there. */
export const changesOfOldBlocks = Effect.fnUntraced(function* (root: string) {
  const { found } = yield* filesOf(root)
  const changes = yield* changed(found.filter(hasBlock), false, (text) => ownerOf(blockIn(text)?.lines ?? []))
  return changes.filter(({ after, text }) => after !== text)
})

const changed = Effect.fnUntraced(function* (
  places: ReadonlyArray<Found>,
  isRemoved: boolean,
  ownerIn: (text: string) => BlockOwner
): Effect.fn.Return<ReadonlyArray<Change>, Stop> {
  const problems: Array<Problem> = []
  const changes: Array<Change> = []
  for (const found of places) {
    const after = yield* Effect.result(
      edited(found, (text) => {
        const file = fileOf(found.path, ownerIn(text ?? ""), programIn(text ?? ""))
        const editing = { file: () => file, start: [], replace: false }
        return isRemoved ? removed(text, editing) : installed(text, editing)
      })
    )
    if (after._tag === "Failure") problems.push(...after.failure.problems)
    // a link is left, and what it leads to
    else changes.push({ ...found, after: after.success ?? (found.isLink ? "" : null) })
  }
  return problems.length > 0 ? yield* stop(exitCodes.usage, ...problems) : changes
})
