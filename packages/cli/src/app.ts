// Before any schema is made: none that was made before is compiled. It is what makes long runs fast.
import "effect/schema/SchemaJITCompiler/enable"
import { readPackedCode } from "./packedCode.ts"

/** Runs the command line and ends the process with its exit code. */
export const start = async (args: ReadonlyArray<string>): Promise<void> => {
  readPackedCode()
  const program = await import("./program.ts")
  program.start(args)
}
