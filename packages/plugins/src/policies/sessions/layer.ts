import type { Digest, Engine, EventLog, IdGenerator, Locks, Presence, Worker } from "@proofline/kernel"
import { Effect, Layer } from "effect"
import type { Baseline, BlobStore, ProjectFiles } from "../../port/index.ts"
import { authenticate } from "./authentication.ts"
import { call, read } from "./calling.ts"
import { changesOf } from "./changes.ts"
import { makeContext, type SessionsOptions } from "./context.ts"
import { close } from "./liveness.ts"
import { open } from "./opening.ts"
import { Sessions } from "./Sessions.ts"
import { makeOpenTasks, makeView } from "./views.ts"

type Needs = Engine | EventLog | Worker | Locks | Presence | IdGenerator | Digest | BlobStore | ProjectFiles | Baseline

/** Sessions over the engine. Work of the runs that are served is carried out by a worker of this process. */
export const sessionsLayer = (options: SessionsOptions): Layer.Layer<Sessions, never, Needs> =>
  Layer.effect(
    Sessions,
    Effect.map(makeContext(options), (context) =>
      Sessions.of({
        open: (identity) => open(context, identity),
        authenticate: (token) => authenticate(context, token),
        close: (session, reason) => close(context, session, reason),
        call: (session, operation, args) => call(context, session, operation, args),
        read: (operation, args) => read(context, operation, args),
        view: makeView(context),
        openTasks: makeOpenTasks(context),
        changes: changesOf(context)
      })
    )
  )
