import { makeSummaries, type RunSummary, type Summaries, type Summarizer } from "@proofline/kernel"
import { pageEvents } from "../../log/pages.ts"
import { LogDatabase } from "./logDatabase.ts"
import { toRecorded } from "./rows.ts"
import { prepareReading, type Statements } from "./statements.ts"

export { drivenAsAWhole } from "../../log/overviews.ts"

/** The summary of a run, made anew from its events; null: there is none. Throws what reading them throws. */
export const remade = (
  statements: Pick<Statements, "pageOfStream">,
  summaries: Summaries,
  stream: string
): RunSummary | null => {
  let summary: RunSummary | null = null
  for (let from = 1; ; from += pageEvents) {
    const rows = statements.pageOfStream.all(stream, from, pageEvents)
    for (const row of rows) {
      if (summaries.types.has(row[2])) summary = summaries.summarize(summary, toRecorded(row, "", stream))
    }
    if (rows.length < pageEvents) return summary
  }
}

/** The same of several runs of a file, in which nothing is changed. Those without one are left out. */
export const remadeIn = (
  file: string,
  runs: ReadonlyArray<string>,
  summarizers: ReadonlyArray<Summarizer>
): ReadonlyArray<RunSummary> => {
  const db = new LogDatabase(file, { readOnly: true, timeout: 5_000 })
  try {
    const statements = prepareReading(db)
    const summaries = makeSummaries(summarizers)
    return runs.flatMap((run) => remade(statements, summaries, run) ?? [])
  } finally {
    db.close()
  }
}
