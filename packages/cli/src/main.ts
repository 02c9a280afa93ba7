// What is asked often does not wait for the kernel, or for the command line, to load; all else is a file of its own.
import { keepCompiledCode } from "./compileCache.ts"
import { status, statusOptions } from "./status.ts"
import { stopHookOptions } from "./stopHookOptions.ts"

const args = process.argv.slice(2)
const [command, ...rest] = args

const statusAsked = command === "status" ? statusOptions(rest) : null
const exitCode = statusAsked === null ? null : status(statusAsked)
if (exitCode !== null) process.exitCode = exitCode
else {
  keepCompiledCode()
  const hook = command === "hook" ? stopHookOptions(rest) : null
  if (hook === null) import("./app.ts").then(({ start }) => start(args))
  else import("./stopHook.ts").then(({ start }) => start(args, hook))
}
