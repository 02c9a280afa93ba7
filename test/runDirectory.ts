// Directories for a whole run of tests, each named after the process that runs them.
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A new one of this kind; those of runs that were killed are removed. */
export const runDirectory = (kind: string): string => {
  const prefix = `proofline-tests-${kind}-`
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(name.slice(prefix.length).split("-")[0])
    if (name.startsWith(prefix) && !isAlive(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
  return mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}
