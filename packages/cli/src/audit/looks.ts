import {
  declarationsOf,
  findingOf,
  judgeEvidence,
  makeReadFacts,
  splitLines,
  stubOf
} from "@proofline/plugins/policies/evidence"
import { ProjectFiles, type SourceOutline, Syntax } from "@proofline/plugins/ports"
import { Effect } from "effect"
import type { Looks } from "./audited.ts"

interface Source {
  readonly text: string
  readonly outline: SourceOutline | null
}

/** Looks at files of the project as evidence is looked at; each is read once. */
export const makeLooks = Effect.gen(function* () {
  const files = yield* ProjectFiles
  const { outline } = yield* Syntax
  const readFacts = yield* makeReadFacts()
  const sources = new Map<string, Source | null>()

  const sourceAt = Effect.fnUntraced(function* (path: string) {
    const before = sources.get(path)
    if (before !== undefined) return before
    // a directory, a picture: nothing that could be a stub
    const text = yield* files.readText(path).pipe(
      Effect.map((file) => file.text),
      Effect.orElseSucceed(() => null)
    )
    const source = text === null ? null : { text, outline: yield* outline(path, text) }
    sources.set(path, source)
    return source
  })

  return {
    stub: (path, texts) =>
      Effect.map(sourceAt(path), (source) =>
        source === null ? null : (stubNamed(path, source, texts) ?? stubOf(path, source.text, source.outline))
      ),
    refusal: Effect.fnUntraced(function* (evidence) {
      const [fact] = yield* readFacts([{ index: 0, evidence }], null)
      const { key, message, ok, reason } = judgeEvidence(evidence, "", fact, {})
      if (ok) return null
      const words = [message, reason].filter((part) => part !== null).join(" ")
      return { isEmpty: key === "checklist_evidence_empty_impl", message: words }
    })
  } satisfies Looks
})

/** Why something that a box names, and that is in the file, is a stub. */
const stubNamed = (path: string, { outline, text }: Source, texts: ReadonlyArray<string>): string | null => {
  const symbols = texts.flatMap(symbolsIn)
  if (outline === null || symbols.length === 0) return null
  const lines = splitLines(text)
  const all = declarationsOf(lines, outline)
  for (const symbol of symbols) {
    const [declared, ...others] = all.filter(({ name }) => name === symbol || name.endsWith(`.${symbol}`))
    if (declared === undefined || others.length > 0) continue
    const { empty } = findingOf(path, lines, outline, declared)
    if (empty !== null) return empty
  }
  return null
}

/** Names of code, as `login`, `login()` and `UserService.login`. */
const symbolsIn = (text: string): ReadonlyArray<string> =>
  [
    ...text.matchAll(
      /`([\p{L}_$][\w$]*(?:(?:\.|::|#)[\p{L}_$][\w$]*)*)(?:\([^`]*\))?`|(?<![\w.`])([\p{L}_$][\w$.]*)\(\)/gu
    )
  ].map(({ 1: quoted, 2: called }) => (quoted ?? called ?? "").replaceAll(/::|#/g, "."))
