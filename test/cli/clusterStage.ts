import type { ChildProcess } from "node:child_process"
import { expect } from "vitest"
import { newDatabase } from "../postgres.ts"
import { answerOf } from "./asked.ts"
import { afterwards, finish, start } from "./proofline.ts"

/** An empty database for the commands of a test, removed afterwards. */
export const database = async (): Promise<Readonly<Record<string, string>>> => {
  const { remove, url } = await newDatabase()
  afterwards(remove)
  return { PROOFLINE_DATABASE_URL: url }
}

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    let text = ""
    child.stdout?.on("data", (chunk) => {
      text += chunk
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")))
    })
    child.once("close", () => resolve(text))
  })

/** A cluster whose workers take work. */
export const up = async (dir: string, env: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) => {
  const child = start(["cluster", "up", "--json", ...flags], dir, { DATABASE_URL: "", ...env })
  const line = await firstLine(child)
  const { data } = answerOf({ code: null, stdout: line, stderr: "" })
  expect(data.problems).toBeUndefined()
  const pids: ReadonlyArray<number> = data.workers.map(({ pid }: { readonly pid: number }) => pid)
  return { child, data, pids }
}

/** A worker that takes work, what it has said on stderr until now, and how it is ended. */
export const workerOf = async (dir: string, env: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) => {
  const child = start(["worker", "--json", ...flags], dir, env)
  let said = ""
  child.stderr?.on("data", (chunk) => (said += chunk))
  const line = await firstLine(child)
  expect(line, said).toContain('"pid"')
  const end = async () => {
    child.kill("SIGTERM")
    await finish(child)
  }
  afterwards(end)
  return { child, said: () => said, end }
}
