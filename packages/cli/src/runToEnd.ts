import { Cause, Effect, Exit, Logger } from "effect"
import { documentText } from "./documents/Document.ts"
import { interruptedCode, leftNow } from "./ending.ts"
import { ending } from "./handle.ts"
import { isReaderGone, onLostReader, outputLost } from "./onLostReader.ts"
import { printNow } from "./printNow.ts"
import { exitCodes, internalProblem, problemText } from "./problems.ts"
import { takeEnvironment } from "./takenEnvironment.ts"

const leaveAtOnce = (): never => {
  const left = leftNow()
  if (left !== null) {
    printNow("stderr", `error: ${problemText(left)}\n`)
    if (ending.document !== null) printNow("stdout", documentText(ending.document, { problems: [left] }))
  }
  process.exit(interruptedCode())
}

/**
 * Carries out what was asked for and ends the process with its exit code. Ctrl-C ends agents first; a second one does not
 * wait, and says what is left. `program` is made once the environment is taken.
 */
export const runToEnd = <E>(args: ReadonlyArray<string>, program: () => Effect.Effect<unknown, E>): void => {
  // a process may start several, one after the other
  ending.code = exitCodes.proven
  ending.document = null
  // of a process that ends because nothing is left to wait for, nobody has said that it is done
  process.exitCode = exitCodes.unmet
  takeEnvironment()
  onLostReader(args[0])
  // stdout belongs to documents and reports
  const fiber = Effect.runFork(Effect.provideService(Effect.suspend(program), Logger.LogToStderr, true))
  let signals = 0
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (++signals > 1) leaveAtOnce()
      ending.code = interruptedCode()
      fiber.interruptUnsafe()
    })
  }
  fiber.addObserver((exit) => {
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
      process.stderr.write(`error: ${problemText(internalProblem(Cause.squash(exit.cause)))}\n`)
      ending.code = exitCodes.unmet
    }
    // what a pipe has not taken yet would be lost
    process.stdout.write("", (error) => process.exit(error && !isReaderGone(error) ? outputLost(error) : ending.code))
  })
}
