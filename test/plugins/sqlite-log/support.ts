import type { ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Digest, genesisHash, type Recorded, verifyNext } from "@proofline/kernel"
import { Effect, Result } from "effect"
import { afterAll, assert } from "vitest"
import { program } from "../programs.ts"

/** A directory of this test file, gone afterwards. */
export const scratch = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "proofline-sqlite-"))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Positions without a hole, and in every stream versions without a hole and an intact chain. */
export const assertIntact = (events: ReadonlyArray<Recorded>) =>
  Effect.map(Digest, ({ sha256 }) => {
    assert.deepStrictEqual(
      events.map(({ position }) => position),
      events.map((_, i) => i + 1)
    )
    for (const [stream, recorded] of Map.groupBy(events, (event) => event.stream)) {
      let head = { stream, version: 0, hash: genesisHash }
      for (const event of recorded) {
        const next = verifyNext(head, event, sha256)
        if (Result.isFailure(next)) assert.fail(next.failure.message)
        head = next.success
      }
    }
  })

export interface Child {
  readonly process: ChildProcess
  /** What it printed, line by line, as it arrives. */
  readonly lines: Array<string>
  /** Resolves with the first line that passes; rejects when the child ends before. */
  readonly line: (passes: (line: string) => boolean) => Promise<string>
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
}

/** Runs a script of this folder in a process of its own, on the sources. */
export const start = (script: string, ...args: ReadonlyArray<string>): Child => {
  const child = program(new URL(script, import.meta.url), args, { stdin: "pipe", stdout: "pipe" })
  afterAll(() => void child.kill("SIGKILL"))
  const lines: Array<string> = []
  const waiting = new Set<() => void>()
  const reader = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  reader.on("line", (line) => {
    lines.push(line)
    for (const look of waiting) look()
  })
  const closed = new Promise<void>((resolve) => reader.once("close", resolve))
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", (code, signal) => closed.then(() => resolve({ code, signal })))
  })
  const line = (passes: (line: string) => boolean) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = lines.find(passes)
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
      ended.then((end) => reject(new Error(`the child ended first: ${JSON.stringify(end)}`)), reject)
    })
  return { process: child, lines, line, ended }
}
