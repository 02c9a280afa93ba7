// Makes the pictures of the docs from real runs of the demos: `npm run --silent docs:images`.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { chromium, type Page } from "playwright-core"
import { chromiumPath } from "../chromium.ts"

const launcher = fileURLToPath(new URL("../../packages/cli/bin/proofline.cjs", import.meta.url))
const images = fileURLToPath(new URL("../../docs/images/", import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), "proofline-images-"))
const browser = await chromium.launch({
  executablePath: chromiumPath() ?? "",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : []
})

interface Place {
  readonly page: Page
  readonly run: string
  readonly go: (path: string) => Promise<unknown>
  readonly take: (name: string, height?: number) => Promise<unknown>
}

/** Runs a demo in a directory of its own, and opens the page at what it did. */
const withDemo = async (demo: string, use: (place: Place) => Promise<void>): Promise<void> => {
  const dir = join(scratch, demo)
  const worked = spawnSync(process.execPath, [launcher, "demo", demo, "--dir", dir], { encoding: "utf8" })
  if (worked.status !== 0) throw new Error(`The demo ${demo} ended with ${worked.status}: ${worked.stderr}`)
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
        await page.screenshot({ path: join(images, `${name}.png`) })
        process.stdout.write(`docs/images/${name}.png\n`)
      }
    })
    await page.close()
  } finally {
    server.kill("SIGTERM")
  }
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
