import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { expect } from "vitest"
import { git as anyGit } from "../plugins/repositories.ts"
import type { Caller, Said } from "./mcpClient.ts"
import { repository as anyRepository, documentOf, eventsOf, proofline } from "./proofline.ts"

/** A project with one file, and what an agent finds in it. */
export const source = "src/auth.py"
export const files = { [source]: "SALT = 'x'\n" }
export const explored = { explored_files: [source], findings: [`${source}: there is no login`] }

export const git = (dir: string, ...args: ReadonlyArray<string>): string => anyGit(dir, ...args).trim()

/** A project that is a repository, with its contracts and these files in its first commit. */
export const repository = (files: Readonly<Record<string, string>>): string =>
  anyRepository({ ".gitignore": ".proofline/state/\nverified\n", ...files })

/** What was asked for was taken, and the agent stands where it must. */
export const taken = ({ body, ok }: Said, phase: string): Said["body"] => {
  expect(ok, JSON.stringify(body)).toBe(true)
  expect(body).toMatchObject({ success: true, phase })
  return body
}

export const refused = ({ body, ok }: Said, error: string): Said["body"] => {
  expect(ok, JSON.stringify(body)).toBe(false)
  expect(body, JSON.stringify(body)).toMatchObject({ success: false, error })
  // every refusal stands alone
  for (const field of ["message", "next_step"]) expect(body[field], field).toMatch(/\S/)
  return body
}

/** Hands in a phase, and is led to another. */
export const submit = async (agent: Caller, data: Record<string, unknown>, phase: string): Promise<Said["body"]> =>
  taken(await agent.call("submit_phase", { data }), phase)

export const itemIn = (path: string, name: string): string => `Add ${name}() to ${path}`

/** A plan of one task whose items are functions to write in a file. */
export const planOf = (id: string, path: string, ...names: ReadonlyArray<string>) => ({
  tasks: [
    {
      id,
      description: `Write ${names.join(" and ")} in ${path}`,
      status: "pending",
      checklist: names.map((name) => ({ item: itemIn(path, name), status: "pending" }))
    }
  ]
})

/** Writes the functions below what the file holds. */
export const write = (dir: string, path: string, ...names: ReadonlyArray<string>): void => {
  const file = Path.join(dir, path)
  const text = names.map((name) => `\ndef ${name}(users, name):\n    users[name] = "${name}"\n    return users\n`)
  writeFileSync(file, `${readFileSync(file, "utf8")}${text.join("")}`)
}

/** The report of a task whose items are functions in a file, each with the lines it stands in. */
export const reportOf = (dir: string, path: string, ...names: ReadonlyArray<string>) => {
  const lines = readFileSync(Path.join(dir, path), "utf8").split("\n")
  const checklist = names.map((name) => {
    const start = lines.findIndex((line) => line.startsWith(`def ${name}(`)) + 1
    return { item: itemIn(path, name), status: "done", evidence: `${path}:${start}-${start + 2}` }
  })
  return { summary: `Wrote ${names.join(" and ")}`, checklist }
}

/** The newest run of a project, as history tells it. */
export const newestRun = async (dir: string): Promise<{ run_id: string; kind: string; status: string }> =>
  documentOf(await proofline(["history", "--json"], dir)).data.runs[0]

/** The events of the newest run. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every kind
export const newestLog = async (dir: string): Promise<Array<any>> => eventsOf((await newestRun(dir)).run_id, dir)

/** Today's rules, without any client, make every decision of the newest run again. */
export const expectReplay = async (dir: string): Promise<void> => {
  const replayed = await proofline(["replay", "--json"], dir)
  expect(replayed.code, `${replayed.stdout}${replayed.stderr}`).toBe(0)
  expect(documentOf(replayed).data).toMatchObject({ divergence: null, integrity: null })
}

/** A contract that asks a person for one of two colours: green goes on, red looks again. */
export const colours = `extends: none
name: colours
start: LOOK
phases:
  LOOK:
    expected_payload: { summary: str }
    instruction: Look which colours there are.
    next: COLOUR
  COLOUR:
    kind: person
    expected_payload: { answer: red|green, comment?: str }
    min_chars: { comment: 5 }
    instruction: |
      Which colour shall it be?
      It cannot be changed later.
    transitions:
      - to: PAINT
        when: { payload: { answer: green } }
      - to: LOOK
  PAINT:
    expected_payload: { colour: str }
    instruction: Paint it.
    next: DONE
  DONE: { kind: end }
`
