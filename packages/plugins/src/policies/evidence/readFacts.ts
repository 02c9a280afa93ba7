import { type Base, Digest, type LineFact, type LineReceipt } from "@proofline/kernel"
import { Effect, Result } from "effect"
import {
  Baseline,
  type Changes,
  type FileRefused,
  type ProjectFile,
  ProjectFiles,
  type ProjectReader,
  type SourceOutline,
  Syntax
} from "../../port/index.ts"
import { splitLines } from "./lines.ts"
import { findingOf, type Rule } from "./range.ts"
import { judgeReceipt, sourceFileOf } from "./receipts.ts"
import { parse, type Reference } from "./reference.ts"

/** Text that claims to be evidence, and the place of its claim in the report. */
export interface Claimed {
  readonly index: number
  readonly evidence: string
}

/**
 * Looks at what is cited. Every file is read once, so all facts of one file speak of the same content. With a base it
 * is also told whether anything of it was changed since. Facts come in the order of the claims. `files` are the
 * project's own unless others are given.
 */
export type ReadFacts = (
  claims: ReadonlyArray<Claimed>,
  base: Base | null,
  files?: ProjectReader
) => Effect.Effect<ReadonlyArray<LineFact>>

export const makeReadFacts = Effect.fnUntraced(function* (
  rule: Rule = findingOf
): Effect.fn.Return<ReadFacts, never, ProjectFiles | Digest | Syntax | Baseline> {
  const projectFiles = yield* ProjectFiles
  const digest = yield* Digest
  const syntax = yield* Syntax
  const baseline = yield* Baseline

  const read = Effect.fnUntraced(function* (path: string, base: Base | null, files: ProjectReader) {
    const file = yield* files.readText(path)
    const outline = yield* syntax.outline(path, file.text)
    const changes = base === null ? null : yield* baseline.changes(base, path, file.text)
    return { file, lines: splitLines(file.text), outline, changes } satisfies Seen
  })

  return Effect.fnUntraced(function* (claims, base, files = projectFiles) {
    const cited = claims.map((claim) => ({ ...claim, reference: parse(claim.evidence) }))
    const byPath = Map.groupBy(cited.entries(), ([, { reference }]) =>
      Result.isSuccess(reference) ? reference.success.path : null
    )
    // file after file: a report may cite more than fits into memory
    const facts = yield* Effect.forEach(
      byPath,
      Effect.fnUntraced(function* ([path, of]) {
        const seen = path === null ? null : yield* Effect.result(read(path, base, files))
        return of.map(([place, citation]) => [place, factOf(citation, seen, rule, digest.sha256)] as const)
      }),
      { concurrency: filesAtOnce }
    )
    const inPlace = new Map(facts.flat())
    return claims.flatMap((_, place) => inPlace.get(place) ?? [])
  })
})

/** Where the lines of a receipt stand in the project now, as evidence; null: they were changed or are gone. */
export const makeRelocate: Effect.Effect<
  (receipt: LineReceipt) => Effect.Effect<string | null>,
  never,
  ProjectFiles | Digest | Syntax
> = Effect.gen(function* () {
  const projectFiles = yield* ProjectFiles
  const digest = yield* Digest
  const syntax = yield* Syntax
  return Effect.fnUntraced(function* (receipt) {
    const file = yield* projectFiles.readText(receipt.path).pipe(Effect.orElseSucceed(() => null))
    const source = file === null ? null : sourceFileOf(file, yield* syntax.outline(file.path, file.text))
    const { now, status } = judgeReceipt(receipt, source, digest.sha256)
    return status === "proven" || status === "re_anchored" ? now : null
  })
})

const filesAtOnce = 8

interface Seen {
  readonly file: ProjectFile
  readonly lines: ReadonlyArray<string>
  readonly outline: SourceOutline | null
  readonly changes: Changes | null
}

interface Citation extends Claimed {
  readonly reference: Result.Result<Reference, string>
}

const factOf = (
  { evidence, index, reference }: Citation,
  read: Result.Result<Seen, FileRefused> | null,
  rule: Rule,
  sha256: (text: string) => string
): LineFact => {
  const nothing = {
    index,
    evidence,
    path: null,
    start: null,
    end: null,
    total: null,
    declaration: null,
    untouched: null,
    receipt: null
  }
  if (Result.isFailure(reference)) return { ...nothing, outcome: "format_invalid", detail: reference.failure }
  const { end, path, start } = reference.success
  if (read === null || Result.isFailure(read))
    return { ...nothing, path, start, end, outcome: "file_not_found", detail: read?.failure.message ?? "" }
  const { changes, file, lines, outline } = read.success
  const seen = { ...nothing, path, start, end, total: lines.length }
  if (end > lines.length) return { ...seen, outcome: "out_of_range", detail: "" }
  const { covers, declaration, empty } = rule(path, lines, outline, { start, end })
  const named = { ...seen, declaration: declaration?.name ?? null }
  if (empty !== null) return { ...named, outcome: "empty", detail: empty }
  return {
    ...named,
    outcome: "ok",
    detail: "",
    untouched: changes === null ? null : !changes.touched(covers.start, covers.end),
    receipt: {
      kind: "lines",
      path,
      start,
      end,
      sha256: sha256(lines.slice(start - 1, end).join("")),
      git_blob: file.git_blob,
      git_commit: file.git_commit,
      covers: { ...covers, sha256: sha256(lines.slice(covers.start - 1, covers.end).join("")) },
      declaration:
        declaration === null
          ? null
          : {
              name: declaration.name,
              kind: declaration.kind,
              start: declaration.start,
              end: declaration.end,
              hash: sha256(declaration.tokens)
            }
    }
  }
}
