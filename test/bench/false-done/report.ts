import { kinds } from "./claims.ts"
import { interval } from "./intervals.ts"
import { type Answer, answers, type Judged } from "./judge.ts"

/** How many were not taken for done, of those that could be judged: of false claims the recall, of true ones the false alarms. */
export interface Share {
  readonly notDone: number
  readonly of: number
  readonly low: number
  readonly high: number
  readonly cannotJudge: number
}

export interface Row {
  readonly name: string
  readonly isTrue: boolean
  readonly claims: number
  readonly shares: Readonly<Record<Answer, Share>>
}

const shareOf = (all: ReadonlyArray<Judged>, answer: Answer): Share => {
  const outcomes = all.map((one) => one.outcomes[answer])
  const of = outcomes.filter((outcome) => outcome !== "cannot judge").length
  const notDone = outcomes.filter((outcome) => outcome === "not done").length
  const [low, high] = of === 0 ? [0, 1] : interval(notDone, of)
  return { notDone, of, low, high, cannotJudge: outcomes.length - of }
}

const rowOf = (name: string, isTrue: boolean, all: ReadonlyArray<Judged>): Row => ({
  ...{ name, isTrue, claims: all.length },
  shares: Object.fromEntries(answers.map((answer) => [answer, shareOf(all, answer)])) as Row["shares"]
})

export const rowsOf = (all: ReadonlyArray<Judged>): ReadonlyArray<Row> => {
  const named = Object.keys(kinds).map((kind) => all.filter((one) => one.kind === kind))
  const ofKinds = named.flatMap((of) => (of[0] === undefined ? [] : [rowOf(of[0].kind, of[0].isTrue, of)]))
  const falseOnes = all.filter(({ isTrue }) => !isTrue)
  return [
    ...ofKinds.filter(({ isTrue }) => !isTrue),
    rowOf(
      "false, the work wrong",
      false,
      falseOnes.filter(({ isRight }) => !isRight)
    ),
    rowOf(
      "false, the work right",
      false,
      falseOnes.filter(({ isRight }) => isRight)
    ),
    rowOf("false", false, falseOnes),
    ...ofKinds.filter(({ isTrue }) => isTrue),
    rowOf(
      "true",
      true,
      all.filter(({ isTrue }) => isTrue)
    )
  ]
}

const percent = (share: number): string => String(Math.round(1_000 * share) / 10)

const cell = ({ cannotJudge, high, low, notDone, of }: Share): string =>
  of === 0 && cannotJudge === 0
    ? "-"
    : `${notDone}/${of} [${percent(low)}, ${percent(high)}]${cannotJudge === 0 ? "" : ` ?${cannotJudge}`}`

/** Lines of a table. */
export const tableOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const heads = ["", "the agent's word", "visible tests", "1 evidence", "2 + checks", "3 + rooms", "4 + escrowed"]
  const cells = rows.map((row) => [row.name, ...answers.map((answer) => cell(row.shares[answer]))])
  const wide = heads.map((head, i) => Math.max(head.length, ...cells.map((row) => row[i]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>) =>
    row
      .map((text, i) => text.padEnd(wide[i] ?? 0))
      .join("  ")
      .trimEnd()
  const firstTrue = rows.findIndex(({ isTrue }) => isTrue)
  return [
    "claims not taken for done, of those judged [95 % interval in %]; ?n: cannot be judged",
    line(heads),
    "false claims (recall)",
    ...cells.slice(0, firstTrue).map(line),
    "true claims (false alarms)",
    ...cells.slice(firstTrue).map(line)
  ]
}
