import * as Path from "node:path"
import type { Escrow, EscrowedCheck } from "@proofline/kernel"
import { digestOf, keep, layer, manifestName } from "@proofline/plugins/adapters/escrowed-checks"
import type { EscrowedChecks } from "@proofline/plugins/ports"
import { Effect, type Layer } from "effect"
import type { Place } from "./git-scratch-checkouts/support.ts"
import { noChecks } from "./nowhere.ts"
import { type Files, write } from "./repositories.ts"

/** Checks that agents do not see: what lies in their directory, and what their manifest says. */
export interface Hidden {
  readonly files: Files
  readonly checks: ReadonlyArray<EscrowedCheck & { readonly command: string }>
  /** What becomes of the directory after the run has begun. */
  readonly later?: Files
}

const keepingOf = ({ root, temporary }: Place) => ({
  state: Path.join(root, ".proofline", "state"),
  home: Path.join(temporary, "../home")
})

/** Their directory, beside the project. */
export const hiddenIn = ({ temporary }: Place): string => Path.join(temporary, "../hidden")

/** Puts them where they are kept; how they are recorded. */
export const escrowOf = (place: Place, { checks, files }: Hidden) =>
  Effect.promise(async (): Promise<Escrow> => {
    const directory = hiddenIn(place)
    write(directory, { [manifestName]: "checks: of the test\n", ...files })
    const sha256 = await digestOf(directory)
    await keep(keepingOf(place), sha256, directory)
    return { sha256, checks: checks.map(({ command: _, ...check }) => check) }
  })

/** Their copies, as in a run; none where there are no such checks. */
export const hiddenLayer = (place: Place, hidden: Hidden | undefined): Layer.Layer<EscrowedChecks> =>
  hidden === undefined ? noChecks : layer({ ...keepingOf(place), ...place, manifest: () => hidden.checks })
