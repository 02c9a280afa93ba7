import { defaultProof } from "@proofline/kernel"
import { Effect } from "effect"
import { runOf } from "../../plugins/proof/sessions.ts"
import { tracks } from "./tracks.ts"
import type { Claim, Prepared } from "./types.ts"
import { tried } from "./workshop.ts"

/** Each asks for what those before it ask for, and more. */
const levels = ["evidence", "+ checks", "+ base, clean room, census, ablation", "+ escrowed tests"] as const

export const answers = ["the agent's word", "visible tests", ...levels] as const

export type Answer = (typeof answers)[number]

export type Outcome = "done" | "not done" | "cannot judge"

export interface Judged {
  readonly track: string
  readonly exercise: string
  readonly kind: string
  readonly isTrue: boolean
  readonly isRight: boolean
  readonly outcomes: Readonly<Record<Answer, Outcome>>
  /** Of the first level that did not take it for done. */
  readonly reasons: ReadonlyArray<string>
  readonly said: ReadonlyArray<string>
}

/** A claim as a session, and the same with the visible tests as the check of each item. */
export const sessionsOf = ({ exercise }: Prepared, { after, before, items }: Claim) => {
  const track = tracks[exercise.track]
  const command = track.command(exercise.testPath)
  const session = { name: `Solve ${exercise.name}`, before, dirty: track.installed, after }
  const checked = {
    ...session,
    items: items.map(([item, evidence]) => [{ item, check: command, ablation: true }, evidence] as const)
  }
  return { command, session, checked }
}

/** Whether a claim is what its kind says, and whether its visible tests pass. */
export const isAsItsKindSays = async ({ escrowed, exercise }: Prepared, claim: Claim) => {
  const track = tracks[exercise.track]
  const files = { ...claim.before, ...claim.after }
  const { passed } = await tried(track, files, exercise.testPath)
  const { passed: isRight } = await tried(track, { ...files, [exercise.testPath]: escrowed }, exercise.testPath)
  const isOther = (claim.passes !== null && claim.passes !== passed) || claim.isRight !== isRight
  return { is: !isOther && (!claim.isRight || passed), passed, isRight }
}

/** What is made of a claim, or null where it turned out not to be what its kind says. */
export const judged = async (task: Prepared, claim: Claim): Promise<Judged | null> => {
  const { escrowed, exercise } = task
  const track = tracks[exercise.track]
  const { is, isRight, passed } = await isAsItsKindSays(task, claim)
  if (!is) return null

  const { checked, command, session } = sessionsOf(task, claim)
  const { items } = claim
  const hidden = {
    files: { tests: escrowed },
    checks: [
      {
        criterion: `${exercise.name} is right in every case`,
        command: `cp "$PROOFLINE_CHECKS/tests" ${exercise.testPath} && ${command}`
      }
    ]
  }
  const asked = [
    () => runOf([{ ...session, items }]),
    () =>
      runOf([{ ...session, items, checks: [command] }], {
        proof: { ...defaultProof, accept: ["was_green", "agents_check", "check_changed"], clean_room: false }
      }),
    () => runOf([checked]),
    () => runOf([checked], { hidden })
  ]
  const found: Array<Outcome> = []
  let reasons: ReadonlyArray<string> = []
  let said: ReadonlyArray<string> = []
  for (const run of asked) {
    if (found.some((outcome) => outcome !== "done")) {
      // what asks for more takes nothing for done that less did not
      found.push(found.at(-1) ?? "cannot judge")
      continue
    }
    const ended = (await Effect.runPromise(run())).sessions[0]
    reasons = [...new Set([...(ended?.items.flatMap(({ refused }) => refused) ?? []), ...(ended?.refused ?? [])])]
    said = ended?.said ?? []
    found.push(
      ended?.status === "completed"
        ? "done"
        : reasons.some((one) => one.includes("unproven"))
          ? "cannot judge"
          : "not done"
    )
  }
  const [evidence = "cannot judge", checks = "cannot judge", rooms = "cannot judge", unseen = "cannot judge"] = found
  return {
    ...{ track: track.name, exercise: exercise.name, kind: claim.kind, isTrue: claim.isTrue, isRight },
    outcomes: {
      "the agent's word": "done",
      "visible tests": passed ? "done" : "not done",
      evidence,
      "+ checks": checks,
      "+ base, clean room, census, ablation": rooms,
      "+ escrowed tests": unseen
    },
    reasons,
    said
  }
}
