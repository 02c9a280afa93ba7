// Makes the pictures of the docs from real runs of the demos: `npm run --silent docs:images`.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { chromium, type Page } from "playwright-core"
import { chromiumPath } from "../chromium.ts"
import { type Script, scriptedAgent } from "../cli/agent.ts"

const launcher = fileURLToPath(new URL("../../packages/cli/bin/proofline.cjs", import.meta.url))
const images = fileURLToPath(new URL("../../docs/images/", import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), "proofline-images-"))
const browser = await chromium.launch({
  executablePath: chromiumPath() ?? "",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : []
})

interface Place {
  readonly page: Page
  /** The newest run that no other began. */
  readonly run: string
  readonly go: (path: string) => Promise<unknown>
  readonly take: (name: string, height?: number) => Promise<unknown>
}

/** Opens the page of a project. */
const withProject = async (dir: string, use: (place: Place) => Promise<void>): Promise<void> => {
  const server: ChildProcess = spawn(process.execPath, [launcher, "serve", "--json", "--port", "0", "--cwd", dir], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    const line = await new Promise<string>((resolve) => server.stdout?.once("data", (chunk) => resolve(String(chunk))))
    const { token, url } = JSON.parse(line).data
    const headers = { authorization: `Bearer ${token}` }
    const { runs } = await (await fetch(`${url}/api/v1/runs`, { headers })).json()
    const first = runs.find((one: { parent_run_id: string | null }) => one.parent_run_id === null)
    const page = await browser.newPage({
      viewport: { width: 1200, height: 760 },
      colorScheme: "light",
      timezoneId: "UTC",
      locale: "en-GB",
      reducedMotion: "reduce"
    })
    await page.goto(`${url}/#token=${token}`)
    await page.getByRole("link", { name: "Runs" }).first().waitFor()
    await use({
      page,
      run: first.run_id,
      go: (path) => page.goto(`${url}/#${path}`),
      take: async (name, height = 760) => {
        await page.setViewportSize({ width: 1200, height })
        await page.waitForFunction(() => globalThis.document.fonts.status === "loaded")
        await page.waitForFunction(() => !/Reading the lines …|Loading/.test(globalThis.document.body.innerText))
        await page.screenshot({ path: join(images, `${name}.png`) })
        process.stdout.write(`docs/images/${name}.png\n`)
      }
    })
    await page.close()
  } finally {
    server.kill("SIGTERM")
  }
}

/** Runs a demo in a directory of its own, and opens the page at what it did. */
const withDemo = (demo: string, use: (place: Place) => Promise<void>): Promise<void> => {
  const dir = join(scratch, demo)
  const worked = spawnSync(process.execPath, [launcher, "demo", demo, "--dir", dir], { encoding: "utf8" })
  if (worked.status !== 0) throw new Error(`The demo ${demo} ended with ${worked.status}: ${worked.stderr}`)
  return withProject(dir, use)
}

const signupTasks = `name: Sign-up
tasks:
  - id: form
    name: Check what people type into the form
    instruction: Write checkForm() in src/form.js. A name is needed, and an address with an @.
    checks:
      - node test/form.js
    checklist:
      - Add checkForm() to src/form.js
  - id: mail
    name: Send a mail to confirm the address
    instruction: Write sendMail() in src/mail.js.
    checklist:
      - Add sendMail() to src/mail.js
  - id: page
    name: Show the form
    depends_on: [form]
    instruction: Write page() in src/page.js.
    checklist:
      - Add page() to src/page.js
`

const formTest = `const { strictEqual } = require("node:assert")
const { checkForm } = require("../src/form.js")
strictEqual(checkForm({ name: "", mail: "ada@example.org" }), "name")
strictEqual(checkForm({ name: "Ada", mail: "ada" }), "mail")
`

const form = {
  files: {
    "src/form.js": 'exports.checkForm = ({ name, mail }) => {\n  if (name === "") return "name"\n  return null\n}\n'
  },
  prints: "\u001b[1mwriting\u001b[0m src/form.js\n\u001b[32mdone\u001b[0m\n",
  report: {
    summary: "The form is checked.",
    checklist: [{ item: "Add checkForm() to src/form.js", status: "done", evidence: "src/form.js:1-4" }]
  }
}

/** A run of which one task failed, another waits for it, and a third asks a person. */
const signup = (): string => {
  const [dir, agent] = [join(scratch, "signup"), join(scratch, "agent")]
  const script: Script = {
    form: [form],
    mail: [
      {
        files: {
          "src/mail.js":
            'exports.sendMail = (to) => {\n  throw new Error("There is no account to send with: " + to)\n}\n'
        },
        report: {
          summary: "There is no account.",
          checklist: [
            {
              item: "Add sendMail() to src/mail.js",
              status: "cannot",
              reason: "It takes an account at the mail provider; MAIL_KEY and config/mail.json are not there."
            }
          ]
        }
      }
    ]
  }
  const files = {
    "tasks.yaml": signupTasks,
    "proofline.yaml": `agent: scripted\nreviewer: none\nmax_retries: 1\nretry_delay_ms: 1\nagents:\n  scripted:\n    command: ${join(agent, "agent.mjs")}\n`,
    "test/form.js": formTest
  }
  const write = (folder: string, all: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text, { mode: 0o755 })
    }
  }
  write(dir, files)
  write(agent, scriptedAgent(script))
  const git = (...args: ReadonlyArray<string>) =>
    spawnSync("git", ["-c", "user.name=demo", "-c", "user.email=demo@example.invalid", ...args], { cwd: dir })
  git("init", "--quiet")
  git("add", "--all")
  git("commit", "--quiet", "--message", "Begin")
  spawnSync(process.execPath, [launcher, "run", "tasks.yaml"], { cwd: dir, stdio: "ignore" })
  return dir
}

mkdirSync(images, { recursive: true })
try {
  await withDemo("requirements", async ({ go, page, run, take }) => {
    await page.getByText("iteration 2").first().waitFor()
    await take("runs", 480)
    await go(`/runs/${run}/requirements`)
    await page.getByText(/receipts, compared/).waitFor()
    await take("requirements", 1_100)
  })
  await withDemo("checklist", async ({ go, page, run, take }) => {
    await go(`/runs/${run}/tasks/money`)
    await page.getByRole("heading", { name: "Checklist" }).waitFor()
    await page
      .getByRole("button", { name: /refused before/ })
      .first()
      .click()
    // the first item of which a claim was refused
    const item = page.locator("li.task-item").filter({ hasText: "splitEvenly" }).first()
    await item.getByRole("button", { name: /src\/money\.ts/ }).click()
    await item
      .getByRole("region", { name: /src\/money\.ts/ })
      .first()
      .waitFor()
    await item.evaluate((one) => {
      one.scrollIntoView()
      globalThis.scrollBy(0, -70)
    })
    await take("task", 1_000)
    await go(`/runs/${run}`)
    await page.getByRole("heading", { name: "Refused" }).waitFor()
    await take("run", 900)
    await go(`/runs/${run}/refusals`)
    await page.getByText("splitEvenly").first().waitFor()
    await take("refusals", 900)
    await go(`/runs/${run}/events`)
    await page.locator(".events-row .events-type").first().waitFor()
    await take("events", 760)
    await go(`/runs/${run}?at=20`)
    await page.getByRole("button", { name: "Back to live" }).waitFor()
    await take("moment", 760)
  })
  await withProject(signup(), async ({ go, page, run, take }) => {
    await go(`/runs/${run}`)
    await page.getByRole("region", { name: "Why it failed" }).waitFor()
    await take("failure", 900)
    await go("/approvals")
    await page
      .getByText(/^Changed: /)
      .first()
      .waitFor()
    await take("question", 900)
  })
  await withDemo("chunking", async ({ go, page, run, take }) => {
    await go(`/runs/${run}/timeline`)
    await page.getByText("in sight").first().waitFor()
    await take("timeline", 700)
  })
} finally {
  await browser.close()
  rmSync(scratch, { recursive: true, force: true })
}
