import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { say } from "../process/output.ts"

/**
 * Opens an address in the user's browser. Everybody on a machine sees the command lines of all, and the address may hold
 * a token: the browser is led there by a file that only the user reads, which is removed when the scope closes. That
 * there is no browser is only a note.
 */
export const openBrowser = Effect.fnUntraced(function* ({ state }: ProjectPaths, address: string) {
  const file = Path.join(state, `open-${randomBytes(8).toString("hex")}.html`)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      try {
        writeFileSync(file, leadingTo(address), { mode: 0o600, flag: "wx" })
      } catch {
        // then the browser says that there is nothing
      }
    }),
    () => Effect.sync(() => rmSync(file, { force: true }))
  )
  yield* openInBrowser(file)
})

/** The same with an address that everybody may see. */
export const openInBrowser = Effect.fnUntraced(function* (place: string) {
  const fault = yield* start(place)
  if (fault !== null) yield* say(`No browser could be opened (${fault}): open the address yourself.`)
})

const leadingTo = (address: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${address}"><title>Proofline</title><a href="${address}">Proofline</a>\n`

/** Null: something was started. */
const start = (place: string): Effect.Effect<string | null> =>
  Effect.callback((resume) => {
    const [command, ...args] = opener()
    const child = spawn(command, [...args, place], { stdio: "ignore", detached: true })
    child.once("error", ({ message }) => resume(Effect.succeed(message)))
    child.once("spawn", () => resume(Effect.succeed(null)))
    child.unref()
  })

const opener = (): readonly [string, ...ReadonlyArray<string>] => {
  switch (process.platform) {
    case "darwin":
      return ["open"]
    case "win32":
      return ["cmd", "/c", "start", ""]
    default:
      return ["xdg-open"]
  }
}
