import type { Engine, EventLog } from "@proofline/kernel"
import { Effect, Layer } from "effect"
import type { ProjectFiles, Workspaces } from "../../port/index.ts"
import type { AttemptReports } from "./AttemptReports.ts"
import { Attempts } from "./Attempts.ts"
import type { AttemptTokens } from "./AttemptTokens.ts"
import { authenticate, call, see } from "./calling.ts"
import { makeContext } from "./context.ts"

type Needs = Engine | EventLog | AttemptTokens | AttemptReports | Workspaces | ProjectFiles

/** Attempts over the engine: reads the log and never writes to it, for an attempt belongs to the worker that began it. */
export const attemptsLayer: Layer.Layer<Attempts, never, Needs> = Layer.effect(
  Attempts,
  Effect.map(makeContext, (context) =>
    Attempts.of({
      isToken: context.tokens.isToken,
      authenticate: (token) => authenticate(context, token),
      call: (attempt, operation, args) => call(context, attempt, operation, args),
      view: (attempt, view) => see(context, attempt, view)
    })
  )
)
