// `status` is asked often and must not wait for the kernel to load: what everything else needs is a file of its own.
import { keepCompiledCode } from "./compileCache.ts"
import { status, statusOptions } from "./status.ts"

const args = process.argv.slice(2)
const quick = args[0] === "status" ? statusOptions(args.slice(1)) : null
const exitCode = quick === null ? null : status(quick)
if (exitCode === null) {
  keepCompiledCode()
  import("./app.ts").then(({ start }) => start(args))
} else {
  process.exitCode = exitCode
}
