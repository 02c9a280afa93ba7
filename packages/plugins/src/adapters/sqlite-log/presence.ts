import { IsPresent, type Presence } from "@proofline/kernel"
import { Effect } from "effect"
import type { Committer } from "./committer.ts"
import type { Holder } from "./holder.ts"
import { makeHolds } from "./holds.ts"
import type { Session } from "./session.ts"

export const makePresence = (session: Session, committer: Committer, holder: Holder): Presence["Service"] => {
  const { current, take } = makeHolds(session, committer, holder, session.statements.presence)
  return {
    announce: (key) =>
      Effect.catchTag(take(key.kind, key.id), "Taken", ({ driver }) => Effect.fail(new IsPresent({ key, driver }))),
    of: ({ id, kind }) => current(kind, id)
  }
}
