import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { BrowserContextOptions, Page } from "playwright-core"
import { type Script, scriptedAgent } from "../cli/agent.ts"
import { project } from "../cli/proofline.ts"
import { type Opened, open } from "./browser.ts"

/** The files of a project in which the scripted agent works on these tasks. */
export const stageOf = (tasks: string, script: Script): Readonly<Record<string, string>> => ({
  ...scriptedAgent(script),
  "tasks.yaml": tasks,
  "proofline.yaml":
    "agent: scripted\nreviewer: none\nretry_delay_ms: 1\nagents:\n  scripted:\n    command: ./agent.mjs\n"
})

/** Such a project. */
export const staged = (tasks: string, script: Script, more: Readonly<Record<string, string>> = {}): string =>
  project({ ...stageOf(tasks, script), ...more })

/** Lets an agent go on that waits for this file. */
export const release = (dir: string, name: string): void => writeFileSync(join(dir, name), "")

/** Runs a git command in a project; the page shows lines as they were from there. */
export const git = (dir: string, ...args: ReadonlyArray<string>): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn("git", ["-c", "user.name=test", "-c", "user.email=test@example.invalid", ...args], {
      cwd: dir,
      stdio: "ignore"
    })
    child.on("error", reject)
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`git ${args.join(" ")} ended with ${code}`))
    )
  })

/** The page of a server, signed in by its address, at a view. */
export const opened = async (
  { token, url }: { readonly url: string; readonly token: string },
  path = "/",
  options: BrowserContextOptions = {}
): Promise<Opened> => {
  const one = await open(`${url}/#token=${token}`, options)
  await one.page.getByRole("link", { name: "Runs" }).first().waitFor()
  if (path !== "/") await one.page.goto(`${url}/#${path}`)
  return one
}

/** Waits until a text can be seen; where it cannot, says what can. */
export const shown = async (page: Page, text: string | RegExp): Promise<void> => {
  try {
    await page.getByText(text).first().waitFor()
  } catch (cause) {
    const seen = await page.locator("body").innerText()
    throw new Error(`${text} cannot be seen at ${page.url()}, but\n${seen}`, { cause })
  }
}

/** The id of the run that the page is at. */
export const runAt = (page: Page): string => decodeURIComponent(/#\/runs\/([^/?]+)/.exec(page.url())?.[1] ?? "")

/** A project with one task of two items: the first report claims what is not there, the second (after `wait`) holds. */
export const greetings = (wait?: string): string =>
  staged(
    `name: greetings
tasks:
  - id: greet
    name: Greet people
    instruction: Write greet() and farewell() in src/greet.js.
    checklist:
      - Add greet() to src/greet.js
      - Add farewell() to src/greet.js
`,
    {
      greet: [
        {
          prints: "looking around\nwriting greet()\n",
          files: { "src/greet.js": 'export const greet = (name) => {\n  return "Hello, " + name\n}\n' },
          report: {
            summary: "Both functions are there.",
            checklist: [
              { item: "Add greet() to src/greet.js", status: "done", evidence: "src/greet.js:1-3" },
              { item: "Add farewell() to src/greet.js", status: "done", evidence: "src/greet.js:5-7" }
            ]
          }
        },
        {
          prints: "second try: writing farewell()\n",
          ...(wait === undefined ? {} : { until: wait }),
          files: {
            "src/greet.js":
              'export const greet = (name) => {\n  return "Hello, " + name\n}\n\nexport const farewell = (name) => {\n  return "Goodbye, " + name\n}\n'
          },
          report: {
            summary: "Now farewell() is there too.",
            checklist: [
              { item: "Add greet() to src/greet.js", status: "done", evidence: "src/greet.js:1-3" },
              { item: "Add farewell() to src/greet.js", status: "done", evidence: "src/greet.js:5-7" }
            ]
          }
        }
      ]
    }
  )
