import { expect } from "vitest"
import { partsOf } from "../plugins/fixtures.ts"
import { documentOf, type Finished, proofline } from "./proofline.ts"
import { valid } from "./schemas.ts"

/** The document a command printed with `--json`, which keeps to its published schema, and how it ended. */
export interface Answer extends Finished {
  readonly kind: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every kind
  readonly data: any
  /** The codes of what was refused, in order. */
  readonly refused: ReadonlyArray<string>
}

export const answerOf = (finished: Finished): Answer => {
  const document = documentOf(finished)
  const { data, kind } = document
  expect(valid(`${kind}.output`, document), kind).toEqual([])
  const refused = (data.problems ?? []).map(({ code }: { readonly code: string }) => code)
  return { ...finished, kind, data, refused }
}

/** Runs a command to its end for its document. */
export const asked = async (
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>> = {}
): Promise<Answer> => answerOf(await proofline([...args, "--json"], cwd, env))

/** The same, and it ended well. */
export const achieved = async (...given: Parameters<typeof asked>): Promise<Answer> => {
  const answer = await asked(...given)
  expect(answer.code, answer.stdout + answer.stderr).toBe(0)
  return answer
}

/** The log of a run, of the newest when none is named, comes to the same decisions again. */
export const expectReplay = async (dir: string, ...run: ReadonlyArray<string>): Promise<void> => {
  const { data } = await achieved(["replay", ...run], dir)
  expect(data.divergence).toBeNull()
}

/** One field of each, in order. */
export const each = <K extends string>(
  all: ReadonlyArray<Readonly<Record<K, unknown>>>,
  field: K
): ReadonlyArray<unknown> => all.map((one) => one[field])

/** The files of a fixture, by name. */
export const fixture = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(partsOf(new URL(`fixtures/${name}.txt`, import.meta.url)).map(({ head, text }) => [head, text]))

/** What a doctor has found in the log and beside it; the machine and the project are looked at elsewhere. */
export const foundInLog = ({ findings }: Answer["data"]) =>
  findings.filter(({ check }: { readonly check: string }) => ["state", "log", "blobs"].includes(check))
