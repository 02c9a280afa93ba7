import { LogUnavailable } from "../base/LogUnavailable.ts"

export const awayKinds = ["arriving", "moved", "archived", "cut"] as const

/** Why a run takes no events in this log. */
export interface Away {
  /**
   * `arriving`: not all of it has come; `moved`: it goes on in another log, and can be read here; `archived`: its events
   * lie in a file; `cut`: it comes from a damaged log, and its end is lost.
   */
  readonly kind: (typeof awayKinds)[number]
  /** The other log, or the file; without secrets. */
  readonly place: string
  /** Since when, ISO 8601. */
  readonly at: string
  /** Of its last event here, when it left; 0 of one that is only arriving. */
  readonly version: number
  /** Of the same event; empty: there was none. */
  readonly hash: string
}

/** What is to be said to whoever asks for a run that is not here. */
export const elsewhere = (stream: string, away: Away): LogUnavailable =>
  new LogUnavailable({ code: "run_elsewhere", ...words[away.kind](stream, away) })

const words = {
  arriving: (run: string, { at, place }: Away) => ({
    message: `Run ${run} is being copied here from ${place} since ${at}, and not all of it has come.`,
    hint: "Run the same command again (`log copy`, `log restore` or `events import`): it goes on where it stopped."
  }),
  moved: (run: string, { at, place, version }: Away) => ({
    message: `Run ${run} was moved to ${place} on ${at} and goes on there. Its ${version} events of then can be read here.`,
    hint: "Go on with it there, or bring it back with `proofline log copy`."
  }),
  archived: (run: string, { at, place, version }: Away) => ({
    message: `Run ${run} was archived on ${at}: its ${version} events are in ${place}, and not in this log any more.`,
    hint: `Bring it back with \`proofline log restore ${place}\`, or check the archive with \`proofline verify ${place}\`.`
  }),
  cut: (run: string, { at, place, version }: Away) => ({
    message: `The end of run ${run} is lost: it was taken out of the damaged log ${place} on ${at}, and ${version} of its events were left.`,
    hint: "They can be read. Bring the rest from a backup with `proofline log copy`; without it the run goes on nowhere."
  })
}

/** Why a run that was archived has not come back as it left; null: it has. `hashAt` is of its event at that version. */
export const notAsItLeft = (stream: string, away: Away | null, hashAt: string | null): LogUnavailable | null =>
  away === null || away.kind === "arriving" || away.hash === hashAt
    ? null
    : new LogUnavailable({
        code: "log_corrupt",
        message: `What came back of run ${stream} is not what left: its event ${away.version} had the hash ${away.hash}, and ${hashAt === null ? "is not there" : `has ${hashAt}`}.`,
        hint: "Nothing of the last step was written. Bring back the archive or the log that the run went to."
      })
