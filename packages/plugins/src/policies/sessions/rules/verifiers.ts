import {
  baseCheckOf,
  isShown,
  type Obligation,
  obligationsOfAll,
  ofCommands,
  tasksOf,
  userCommandProof
} from "@proofline/kernel"
import type { SessionRunSetup } from "./PhaseContract.ts"
import type { SessionsView } from "./state.ts"

/** Every command that verifies a session run: those of the project, and those that a phase names itself. */
export const verifyingCommands = ({
  contract,
  escrowed = [],
  verifiers
}: Pick<SessionRunSetup, "contract" | "escrowed" | "verifiers">): ReadonlyArray<string> => [
  ...new Set([
    ...verifiers,
    ...escrowed,
    ...Object.values(contract.phases).flatMap(({ checks, kind }) => (kind === "verify" ? checks : []))
  ])
]

/** Something of the work is shown by no evidence: only the commands that verify the whole could show it. */
export const needsVerifiers = (state: SessionsView): boolean =>
  !obligationsOfAll(state).some(({ verdict }) => isShown(verdict)) ||
  tasksOf(state).some(({ status, verdict }) => status === "completed" && verdict === "unproven")

const verified = (state: SessionsView): ReadonlyArray<Obligation> => {
  const { phases } = state.sessions
  const runs = phases?.passed ?? []
  return ofCommands(
    runs.map(({ command }) => command),
    runs,
    state.run.config.proof,
    (run) => userCommandProof(baseCheckOf(state, run.command), run)
  )
}

/** What the commands that verify the whole show of the work as it is, where evidence does not show all of it. */
export const verifierObligations = (state: SessionsView): ReadonlyArray<Obligation> =>
  needsVerifiers(state) ? verified(state) : []

/** All that has to hold: what tasks are to show, and commands that verify the whole where nothing else shows it. */
export const obligationsOf = (state: SessionsView): ReadonlyArray<Obligation> => [
  ...obligationsOfAll(state),
  ...verifierObligations(state)
]

/** One of them failed before the work, and passes with it. */
export const isShownByVerifiers = (state: SessionsView): boolean =>
  verifierObligations(state).some(({ verdict }) => isShown(verdict))
