// A plugin of one's own in TypeScript, typed by the packages alone: it counts attempts, and lets a release have one.
import { AttemptStarted, definePlugin, plugin, Run, reject, StartAttempt, Tasks } from "@proofline/kernel"

const Freeze = plugin("freeze", { state: { started: 0 }, after: [Run, Tasks] })

export default definePlugin(Freeze, {
  version: "1",
  parts: [
    Freeze.follow(AttemptStarted, ({ started }) => ({ started: started + 1 })),
    Freeze.guard(StartAttempt, (_, { freeze, run }) =>
      run.name.startsWith("release") && freeze.started > 0
        ? reject("frozen", "One attempt is enough for a release.", "Run it under another name.")
        : null
    )
  ]
})
