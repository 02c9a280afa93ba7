import { Cause, Effect, Exit, Logger } from "effect"
import { documentText } from "../base/Document.ts"
import { exitCodes, internalProblem, type Problem, problemText, type Stop } from "../base/problems.ts"
import { takeEnvironment } from "../base/takenEnvironment.ts"
import { interruptedCode, leftNow, nothingLeft, waitingNow } from "./ending.ts"
import { ending, isJsonAlone } from "./handle.ts"
import { isReaderGone, onLostReader, outputLost } from "./onLostReader.ts"
import { printNow } from "./printNow.ts"
import { stderrLogger } from "./stderrLogger.ts"

const leaveAtOnce = (): never => {
  const left = leftNow()
  if (left !== null) sayAtOnce(left)
  process.exit(interruptedCode())
}

/** As it is said otherwise, without waiting for anything. */
const sayAtOnce = (problem: Problem): void => {
  if (!isJsonAlone(ending.document)) printNow("stderr", `error: ${problemText(problem)}\n`)
  if (ending.document !== null) printNow("stdout", documentText(ending.document, { problems: [problem] }))
}

/** Says what a process that ends by itself has left undone. Answers how to be silent again. */
const toldIfItEnds = (): (() => void) => {
  const say = ({ exitCode, problems: [problem] }: Stop): void => {
    stopListening()
    if (problem !== undefined) sayAtOnce(problem)
    process.exitCode = exitCode
  }
  const onEmpty = () => say(waitingNow() ?? nothingLeft)
  const onExit = () => {
    const waiting = waitingNow()
    if (waiting !== null) say(waiting)
  }
  const stopListening = () => {
    process.off("beforeExit", onEmpty)
    process.off("exit", onExit)
  }
  process.on("beforeExit", onEmpty)
  process.on("exit", onExit)
  return stopListening
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
  const silent = toldIfItEnds()
  takeEnvironment()
  onLostReader(args[0])
  const fiber = Effect.runFork(
    Effect.provideService(Effect.suspend(program), Logger.CurrentLoggers, new Set([stderrLogger]))
  )
  let signals = 0
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      silent()
      if (++signals > 1) leaveAtOnce()
      ending.code = interruptedCode()
      fiber.interruptUnsafe()
    })
  }
  fiber.addObserver((exit) => {
    silent()
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
      process.stderr.write(`error: ${problemText(internalProblem(Cause.squash(exit.cause)))}\n`)
      ending.code = exitCodes.unmet
    }
    // what a pipe has not taken yet would be lost
    process.stdout.write("", (error) => process.exit(error && !isReaderGone(error) ? outputLost(error) : ending.code))
  })
}
