// What is asked often does not wait for the kernel, or for the command line, to load; all else is a file of its own.

import { exitCodes } from "./base/exitCodes.ts"
import { dryRunOptions } from "./dryRunOptions.ts"
import { evidenceCheckOptions } from "./evidenceCheckOptions.ts"
import { keepCompiledCode } from "./process/compileCache.ts"
import { compileGrammarsOnce } from "./process/compiledOnce.ts"
import { readPackedCode } from "./process/packedCode.ts"
import { printNow } from "./process/printNow.ts"
import { quickHelp } from "./quick/quickHelp.ts"
import { listOptions, quickHistory } from "./quick/quickHistory.ts"
import { quickValues } from "./quick/quickValues.ts"
import { type Answer, status, statusOptions } from "./quick/status.ts"
import { stopHookOptions } from "./stopHookOptions.ts"

const args = process.argv.slice(2)
const [command, ...rest] = args

const printed = (text: string | null): Answer | null =>
  text === null ? null : { exitCode: exitCodes.proven, stream: "stdout", text }

/** What is said without waiting for anything; null: that takes more. */
const answered = (): Answer | null => {
  if (command === "status") {
    const options = statusOptions(rest)
    if (options !== null) return status(options)
  }
  if (command === "history") {
    const options = listOptions(rest)
    if (options !== null) return printed(quickHistory(options))
  }
  if (command === "--complete") return printed(quickValues(rest))
  return printed(quickHelp(args))
}

const answer = answered()
if (answer !== null) {
  process.exitCode = answer.exitCode
  printNow(answer.stream, answer.text)
} else {
  const hook = command === "hook" ? stopHookOptions(rest) : null
  const check = command === "evidence" ? evidenceCheckOptions(rest) : null
  const dryRun = command === "run" ? dryRunOptions(rest) : null
  // those two read no source text; and what is kept of compiled code is kept for one way of compiling
  if (hook === null && dryRun === null) compileGrammarsOnce()
  keepCompiledCode()
  readPackedCode()
  const all = () => import("./app.ts").then(({ start }) => start(args))
  if (hook !== null) import("./stopHook.ts").then(({ start }) => start(args, hook))
  else if (check !== null) import("./evidenceCheck.ts").then(({ start }) => start(args, check))
  else if (dryRun === null) all()
  else {
    // until something was shown
    process.exitCode = exitCodes.unmet
    import("./dryRun.ts")
      .then(({ dryRunText }) => dryRunText(dryRun))
      .then((text) => {
        process.exitCode = text === null ? exitCodes.unmet : exitCodes.proven
        return text === null ? all() : printNow("stdout", text)
      })
  }
}
