// What makes it cheaper to start a program: tests start it, and ours from their sources, more than a thousand times.
import { rmSync } from "node:fs"
import type { TestProject } from "vitest/node"
import { isProgramBuilt } from "./built.ts"
import { runDirectory } from "./runDirectory.ts"

export default function setup({ config }: TestProject): (() => void) | undefined {
  // each project asks for it
  if (process.env["PROOFLINE_BUNDLE"] !== undefined || process.env["NODE_COMPILE_CACHE"] !== undefined) return undefined
  // projects of tests are none of whoever runs them
  process.env["PROOFLINE_NO_RECENT"] = "1"
  // who changes the sources beside tests that are watched wants them run
  if (!config.watch && isProgramBuilt()) process.env["PROOFLINE_BUNDLE"] = "newest"
  const compiled = runDirectory("compiled")
  process.env["NODE_COMPILE_CACHE"] = compiled
  return () => {
    delete process.env["PROOFLINE_BUNDLE"]
    delete process.env["NODE_COMPILE_CACHE"]
    delete process.env["PROOFLINE_NO_RECENT"]
    // a program that ends now may still write there
    rmSync(compiled, { recursive: true, force: true, maxRetries: 5 })
  }
}
