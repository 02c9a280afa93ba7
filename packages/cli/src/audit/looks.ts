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
import { symbolsIn } from "./named.ts"

interface Source {
  readonly text: string
  readonly outline: SourceOutline | null
}

/** Files in which a name is looked for, and those that may hold it, at most. */
const searchMost = 20_000
const declaringMost = 50

const isSource = /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|kts|cs|c|cc|cpp|h|hpp|php|swift|scala|sh|bash)$/

/** Looks at files of the project as evidence is looked at; each is read once. */
export const makeLooks = Effect.gen(function* () {
  const files = yield* ProjectFiles
  const { outline } = yield* Syntax
  const readFacts = yield* makeReadFacts()
  const texts = new Map<string, string | null>()
  const sources = new Map<string, Source | null>()

  const textAt = Effect.fnUntraced(function* (path: string) {
    const before = texts.get(path)
    if (before !== undefined) return before
    // a directory, a picture: nothing that could be a stub
    const text = yield* files.readText(path).pipe(
      Effect.map((file) => file.text),
      Effect.orElseSucceed(() => null)
    )
    texts.set(path, text)
    return text
  })

  const sourceAt = Effect.fnUntraced(function* (path: string) {
    const before = sources.get(path)
    if (before !== undefined) return before
    const text = yield* textAt(path)
    const source = text === null ? null : { text, outline: yield* outline(path, text) }
    sources.set(path, source)
    return source
  })

  const searched = yield* Effect.cached(
    Effect.map(files.paths, (paths) => paths.filter((path) => isSource.test(path)).slice(0, searchMost))
  )

  /** The one declaration of a name in the project; null: there is none, or nobody knows which it is. */
  const declared = Effect.fnUntraced(function* (symbol: string) {
    const word = symbol.slice(symbol.lastIndexOf(".") + 1)
    const found: Array<{ readonly path: string; readonly empty: string | null }> = []
    let read = 0
    for (const path of yield* searched) {
      const text = yield* textAt(path)
      if (text === null || !text.includes(word)) continue
      // a word that is everywhere names nothing
      if (++read > declaringMost) return null
      const source = yield* sourceAt(path)
      if (source === null || source.outline === null) continue
      const lines = splitLines(source.text)
      for (const one of declarationsOf(lines, source.outline))
        if (one.name === symbol || one.name.endsWith(`.${symbol}`))
          found.push({ path, empty: findingOf(path, lines, source.outline, one).empty })
    }
    return found.length === 1 ? (found[0] ?? null) : null
  })

  return {
    declared,
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
  const symbols = texts.flatMap(symbolsIn).map(({ name }) => name)
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
