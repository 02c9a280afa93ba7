import { layer } from "@proofline/plugins/adapters/tree-sitter"
import { Syntax } from "@proofline/plugins/ports"
import { Context, Effect, Layer, Scope } from "effect"
import { originalRule } from "../../../packages/plugins/src/policies/evidence/code/original.ts"
import { findingOf } from "../../../packages/plugins/src/policies/evidence/code/range.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"

/** Why evidence is refused as empty; null when it is accepted. */
export interface Answers {
  readonly ours: string | null
  readonly original: string | null
}

export interface Evidence {
  readonly path: string
  readonly text: string
  readonly start: number
  readonly end: number
}

export interface Judge {
  readonly judge: (evidence: Evidence) => Promise<Answers>
}

/** Both rules, in this process. The last file is remembered: cases of one file follow each other. */
export const makeJudge = async (): Promise<Judge> => {
  const scope = Scope.makeUnsafe()
  const syntax = Context.get(await Effect.runPromise(Layer.buildWithScope(layer(), scope)), Syntax)
  let last: { readonly key: string; readonly text: string; readonly read: Read } | null = null
  const read = async (path: string, text: string): Promise<Read> => {
    if (last?.key === path && last.text === text) return last.read
    const made = { lines: splitLines(text), outline: await Effect.runPromise(syntax.outline(path, text)) }
    last = { key: path, text, read: made }
    return made
  }
  return {
    judge: async ({ end, path, start, text }) => {
      const { lines, outline } = await read(path, text)
      return {
        ours: findingOf(path, lines, outline, { start, end }).empty,
        original: originalRule(path, lines, { start, end })?.reason ?? null
      }
    }
  }
}

interface Read {
  readonly lines: ReadonlyArray<string>
  readonly outline: Parameters<typeof findingOf>[2]
}
