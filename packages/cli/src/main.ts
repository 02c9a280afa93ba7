// `status` is asked often and must not wait for the kernel to load.
import { status, statusOptions } from "./status.ts"

const args = process.argv.slice(2)
const quick = args[0] === "status" ? statusOptions(args.slice(1)) : null
const exitCode = quick === null ? null : status(quick)
if (exitCode === null) {
  const { start } = await import("./app.ts")
  start(args)
} else {
  process.exitCode = exitCode
}
