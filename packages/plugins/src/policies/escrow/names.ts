import type { EscrowedCheck, HasRun, NamedCheck, RunConfig } from "@proofline/kernel"

/** The name of an escrowed check, in the place of the command that nobody is told. */
export const escrowName = ({ criterion }: Pick<EscrowedCheck, "criterion">): string => `escrowed check: ${criterion}`

type Config = Pick<RunConfig, "proof">

const checksIn = (config: Config | null): ReadonlyArray<EscrowedCheck> => config?.proof.escrow?.checks ?? []

const named = (check: EscrowedCheck): NamedCheck => ({ command: escrowName(check), criterion: check.criterion })

/** The escrowed check of this name, and the digest of those that are in force; undefined: it is a command. */
export const escrowedIn = ({ run: { config } }: HasRun, command: string) => {
  const check = checksIn(config).find((one) => escrowName(one) === command)
  const sha256 = config.proof.escrow?.sha256
  return check === undefined || sha256 === undefined ? undefined : { criterion: check.criterion, sha256 }
}

/** Whether it decides about an acceptance criterion: it names that, or the requirement that it is one of. */
export const criterionChecks = (
  config: Config | null,
  requirement: string,
  criterion: string
): ReadonlyArray<NamedCheck> =>
  checksIn(config)
    .filter((check) => check.requirement === requirement || check.requirement === criterion)
    .map(named)

/** Those that a run of this kind carries out: requirements are judged where they are verified, all others where tasks are. */
export const checksOfRun = ({ run: { config, kind } }: HasRun): ReadonlyArray<NamedCheck> =>
  checksIn(config)
    .filter(({ requirement }) => (requirement !== undefined) === (kind === "requirements"))
    .map(named)

/** Those that judge a task. */
export const checksOfTask = ({ run: { config } }: HasRun, id: string): ReadonlyArray<NamedCheck> =>
  checksIn(config)
    .filter(({ requirement, tasks }) => requirement === undefined && (tasks === undefined || tasks.includes(id)))
    .map(named)
