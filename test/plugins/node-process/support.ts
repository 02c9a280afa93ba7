import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import { afterAll, onTestFinished } from "vitest"
import { isAlive } from "../repositories.ts"

export { isAlive } from "../repositories.ts"

const fresh = (): string => realpathSync(mkdtempSync(join(tmpdir(), "proofline-test-")))
const remove = (made: string): void => rmSync(made, { recursive: true, force: true, maxRetries: 3 })

/** A fresh directory, removed after the test. */
export const directory = (): string => {
  const made = fresh()
  onTestFinished(() => remove(made))
  return made
}

/** A fresh directory of all tests of a group or file, removed after them. */
export const sharedDirectory = (): string => {
  const made = fresh()
  afterAll(() => remove(made))
  return made
}

/** An executable script. The first line says what runs it; node programs get this very Node. */
export const script = (folder: string, name: string, kind: "sh" | "node", text: string): string => {
  const path = join(folder, name)
  const program = kind === "sh" ? "/bin/sh" : process.execPath
  writeFileSync(path, `#!${program}\n${text}\n`, { mode: 0o755 })
  return path
}

const MAX_LOOKS = 60_000

/** Looks at the world again and again until it answers. */
const look = async <A>(what: string, at: () => A | undefined): Promise<A> => {
  for (let count = 0; count < MAX_LOOKS; count++) {
    const found = at()
    if (found !== undefined) return found
    await pause(2)
  }
  throw new Error(`${what} did not happen`)
}

/** The text of a file once it holds a whole line. */
export const written = (file: string): Effect.Effect<string> =>
  Effect.promise(() =>
    look(`writing ${file}`, () => {
      const text = existsSync(file) ? readFileSync(file, "utf8") : ""
      return text.endsWith("\n") ? text.trim() : undefined
    })
  )

export const pidIn = (file: string): Effect.Effect<number> => Effect.map(written(file), Number)

export const death = (pid: number): Effect.Effect<void> =>
  Effect.promise(() => look(`the end of ${pid}`, () => (isAlive(pid) ? undefined : true))).pipe(Effect.asVoid)

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** What only works where processes can be looked at. */
export const notLinux = process.platform !== "linux"

/** Linux only. */
export const parentOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1])

/** Shell text that starts a child and a grandchild and leaves all three process ids in the folder. */
export const family = (folder: string): string =>
  `(sh -c 'echo $$ > "${folder}/grandchild"; while :; do sleep 1000; done' & sh -c 'echo $PPID > "${folder}/child"'; wait) &
echo $$ > "${folder}/agent"`

/** Shell text that starts a process in a session of its own, which leaves its id in the folder. Linux only. */
export const escaped = (folder: string): string =>
  `setsid sh -c 'trap "" TERM HUP; echo $$ > "${folder}/escaped"; while :; do sleep 1000; done' &`

export const familyIn = (folder: string): Effect.Effect<ReadonlyArray<number>> =>
  Effect.all(["agent", "child", "grandchild"].map((name) => pidIn(join(folder, name))))
