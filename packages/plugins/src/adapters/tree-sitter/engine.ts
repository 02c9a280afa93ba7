import { readFileSync } from "node:fs"
import type { LanguageRules } from "@proofline/kernel"
import { Language, Parser, Query, type Tree } from "web-tree-sitter"
import { grammarFile, runtimeFile } from "./grammars.ts"

/** A language that can be read: its rules, and the query made for its grammar. */
export interface Loaded {
  readonly rules: LanguageRules
  readonly query: Query
  /** Null: it took too long. */
  readonly parse: (text: string) => Tree | null
}

let started: Promise<void> | undefined
const grammars = new Map<string, Promise<Language>>()

/** Grammars are loaded once in a process, and only those that are needed. Rejects when a grammar or query is broken. */
export const load = async (rules: LanguageRules): Promise<Loaded> => {
  started ??= Parser.init({ wasmBinary: readFileSync(runtimeFile()) })
  await started
  const file = grammarFile(rules.grammar)
  const pending = grammars.get(file) ?? Language.load(readFileSync(file))
  grammars.set(file, pending)
  const language = await pending
  const query = new Query(language, `${rules.query}\n(ERROR) @fault`)
  const patches = (rules.patches ?? []).map(({ as, pattern }) => ({ as, pattern: new RegExp(pattern, "gm") }))
  const patched = (text: string): string =>
    patches.reduce(
      (now, { as, pattern }) =>
        now.replace(pattern, (found) => as.slice(0, found.length) + found.slice(as.length).replace(/[^\r\n]/g, " ")),
      text
    )
  return {
    rules,
    query,
    parse: (text) => {
      const parser = new Parser()
      try {
        parser.setLanguage(language)
        const began = process.cpuUsage()
        const isTooLong = () => {
          const { system, user } = process.cpuUsage(began)
          return system + user > maxParseMicros
        }
        return parser.parse(patched(text), null, { progressCallback: isTooLong })
      } finally {
        parser.delete()
      }
    }
  }
}

/** Ten times what 10,000 lines take, in time of the processor: a busy machine changes no verdict. */
const maxParseMicros = 1_000_000
