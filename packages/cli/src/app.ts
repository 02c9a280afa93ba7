import { readPackedCode } from "./process/packedCode.ts"

/** What only reads a few files: nothing is decoded so often that compiling how would pay. */
const brief = new Set(["agents", "config", "init", "prime", "sample", "schema", "validate"])

const isBrief = (args: ReadonlyArray<string>): boolean =>
  brief.has(args[0] ?? "") || args.includes("--dry-run") || args.includes("--plan")

/** Runs the command line and ends the process with its exit code. */
export const start = async (args: ReadonlyArray<string>): Promise<void> => {
  // whoever loads this need not be the launcher
  readPackedCode()
  // before any schema is made
  if (!isBrief(args)) await import("./process/compiledSchemas.ts")
  const program = await import("./commandLine/program.ts")
  program.start(args)
}
