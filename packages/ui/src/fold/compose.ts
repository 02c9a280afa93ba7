/** The rules that fold a run here: the kernel's, and those of the policies that have events of their own. */
import { composePlugins, definePlugin, makeManifest } from "@proofline/kernel"
import { definitions, evolveLoop, type Loop, loopOf, noLoop } from "@proofline/plugins/policies/requirements"

/** What a policy does in the world stays where the world is: here is only how its events are read and folded. */
export const composition = composePlugins([
  definePlugin<Loop>({
    name: "requirements",
    version: "1",
    initial: noLoop,
    events: definitions,
    evolve: evolveLoop
  })
])

export const manifest = makeManifest(composition.events)

/** The requirements loop of a folded run; of another kind of run, one that was never loaded. */
export const loopIn = (snapshot: { readonly slices: ReadonlyArray<unknown> }): Loop => loopOf(snapshot, composition)
