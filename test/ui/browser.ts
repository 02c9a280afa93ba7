import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from "playwright-core"
import { onTestFinished } from "vitest"
import { chromiumPath } from "../chromium.ts"
import { limitMs, until } from "../cli/proofline.ts"

let shared: Promise<Browser> | null = null

/** A real headless Chromium, one for all tests of a file. */
const browser = (): Promise<Browser> => {
  shared ??= launch()
  return shared
}

/** Ends it; for `afterAll`. */
export const closeBrowser = async (): Promise<void> => {
  const open = shared
  shared = null
  await (await open)?.close()
}

const launch = (): Promise<Browser> => {
  const executablePath = chromiumPath()
  if (executablePath === null) throw new Error("There is no Chromium here: run `npm run --silent chromium` first.")
  const isRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath, args: [...(isRoot ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"] })
}

/** A page, with everything that went wrong in it. */
export interface Opened {
  readonly page: Page
  /** Errors of scripts, of the console, and what the content security policy has kept out. */
  readonly faults: ReadonlyArray<string>
  /** Addresses of other hosts that were asked for. */
  readonly foreign: ReadonlyArray<string>
  /** Waits until nothing is asked of the server any more, but for the streams that stay open. */
  readonly settled: () => Promise<void>
}

/** Opens an address in a profile of its own, which is gone after the test. */
export const open = async (url: string, options: BrowserContextOptions = {}): Promise<Opened> => {
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 }, ...options })
  onTestFinished(async () => {
    // what a page has asked for just then is answered by nobody any more
    await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: "ignoreErrors" })))
    await context.close()
  })
  const page = await context.newPage()
  // as long as `until`: only there so that a broken page ends the test
  page.setDefaultTimeout(limitMs)
  const faults: Array<string> = []
  const foreign: Array<string> = []
  const { origin } = new URL(url)
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`))
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`)
  })
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:")) foreign.push(request.url())
  })
  const underWay = new Set<Request>()
  page.on("request", (request) => {
    if (!request.url().includes("/stream")) underWay.add(request)
  })
  page.on("requestfinished", (request) => underWay.delete(request))
  page.on("requestfailed", (request) => underWay.delete(request))
  await page.goto(url)
  const settled = async () => {
    // what was asked for is asked after the next frame at the latest
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    await until(() => underWay.size === 0)
  }
  return { page, faults, foreign, settled }
}
