import { execFile } from "node:child_process"
import { readingEnvironment } from "./environment.ts"

/** Bytes of output of a listing that are taken; enough for a million files. */
const outputMax = 256 * 1_024 * 1_024

/** No program that the repository's configuration names is started. */
export const quiet = ["-c", "core.fsmonitor=false"]

/** Standard output of git. Rejects with what the system or git says. */
export const readGit = (cwd: string, args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { cwd, env: readingEnvironment(), maxBuffer: outputMax, encoding: "utf8" } as const
    execFile("git", [...quiet, ...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(typeof error.code === "string" ? error : new Error(stderr.trim().split("\n")[0] || error.message))
    })
  })
