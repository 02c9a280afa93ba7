import type { Problem } from "@proofline/kernel"
import type { Schema } from "effect"

/** The one JSON document of a command that was called with `--json`. */
export interface Document<S extends Schema.Top = Schema.Top> {
  /** Name of its published schema, without `.output.schema.json`. */
  readonly name: string
  /** What `kind` may be; printed is the first. */
  readonly kinds: readonly [string, ...ReadonlyArray<string>]
  readonly title: string
  readonly description: string
  /** Of `data`, where the input was not refused. */
  readonly data: S
  readonly examples: ReadonlyArray<S["Type"]>
}

export const document = <S extends Schema.Top>(declared: Document<S>): Document<S> => declared

/** A document as it is printed; on one line where it is not indented. */
export const documentText = (kind: string, data: unknown, indent = 2): string =>
  `${JSON.stringify({ schemaVersion: 1, kind, data }, null, indent)}\n`

/** The fields that say something. */
export const present = <A extends object>(fields: A): { readonly [K in keyof A]?: NonNullable<A[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as never

/** For examples. */
export const aProblem: Problem = {
  code: "dependency_unknown",
  message: 'Task "b" depends on "a", but no task has that id.',
  file: "tasks.yaml",
  line: 4,
  column: 18,
  hint: "Add the task, remove the id from `depends_on`, or, where it was completed before, name it under `completed`."
}

/** For examples: one item, and it is proven. */
export const oneProven = { proven: 1, reviewed: 0, weak: 0, waived: 0, unproven: 0, refuted: 0, stale: 0 }

/** For examples: how a requirements run ended whose requirement is proven. */
export const provenLogin = {
  kind: "requirements",
  name: "Login",
  status: "completed",
  run_status: "completed",
  message: "",
  verdict: "proven",
  reviewers: [],
  weak: []
} as const
