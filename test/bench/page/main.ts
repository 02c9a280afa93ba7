/**
 * How smooth the page is with a large log: a run of some 10,000 tasks and 200,000 events, while 500 more a second come
 * in. Measured in a real Chromium: the longest task of the main thread while each view is used.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type AnyEvent, EventLog } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, Layer, ManagedRuntime } from "effect"
import { chromium, type Page } from "playwright-core"
import { chromiumPath } from "../../chromium.ts"
import { bigRun, bigRunEvents, candidates } from "./bigLog.ts"

const tasks = Number(process.argv[2] ?? 10_600)
const perSecond = 500
const perTick = perSecond / 10
const secondsPerView = 4

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const dir = mkdtempSync(join(tmpdir(), "proofline-page-"))
mkdirSync(join(dir, ".proofline", "state"), { recursive: true })
const log = ManagedRuntime.make(
  sqliteLog({ file: join(dir, ".proofline", "state", "proofline.db") }).pipe(Layer.provideMerge(nodeDigest))
)

let version = 0
let batch = 0
const append = async (events: ReadonlyArray<AnyEvent>): Promise<void> => {
  const before = version
  version += events.length
  const now = candidates(events, ++batch)
  await log.runPromise(
    Effect.flatMap(EventLog, (service) => service.append(bigRun, before, now)) as Effect.Effect<
      unknown,
      unknown,
      EventLog
    >
  )
}

const serve = async (): Promise<{ readonly child: ChildProcess; readonly url: string; readonly token: string }> => {
  const launcher = fileURLToPath(new URL("../../../packages/cli/bin/proofline.cjs", import.meta.url))
  const child = spawn(process.execPath, [launcher, "serve", "--port", "0", "--json"], {
    cwd: dir,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const line = await new Promise<string>((resolve) => child.stdout?.once("data", (chunk) => resolve(String(chunk))))
  return { child, ...JSON.parse(line).data }
}

/** Durations of tasks of over 50 ms since it was asked last. */
const longTasks = (page: Page): Promise<ReadonlyArray<number>> =>
  page.evaluate(() => (globalThis as unknown as { longTasks: Array<number> }).longTasks.splice(0))

const all = [...bigRunEvents(tasks)].flat()
const later = all.splice(-perSecond * secondsPerView * 8)
for (let i = 0; i < all.length; i += 5_000) await append(all.slice(i, i + 5_000))
print(`${version.toLocaleString("en-US")} events of ${tasks.toLocaleString("en-US")} tasks`)

const { child, token, url } = await serve()
const browser = await chromium.launch({
  executablePath: chromiumPath() ?? "",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : []
})
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.addInitScript(() => {
    const seen: Array<number> = []
    Object.assign(globalThis, { longTasks: seen })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.push(duration)
    }).observe({ type: "longtask" as "mark", buffered: true })
  })
  const startedAt = performance.now()
  await page.goto(`${url}/#token=${token}`)
  await page.goto(`${url}/#/runs/${bigRun}`)
  await page.locator(`input[type=range][max="${version}"]`).waitFor({ timeout: 300_000 })
  print(`read and folded in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
  const report = async (what: string) => {
    const durations = await longTasks(page)
    const longest = Math.max(0, ...durations)
    print(`${what.padEnd(34)} longest task ${longest.toFixed(0).padStart(4)} ms, ${durations.length} of over 50 ms`)
  }
  await report("while it was read")

  let isOver = false
  const streaming = (async () => {
    while (!isOver && later.length > 0) {
      const at = performance.now()
      await append(later.splice(0, perTick))
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, 100 - (performance.now() - at))))
    }
  })()
  const use = async (what: string, path: string, act: () => Promise<void>) => {
    await page.goto(`${url}/#/runs/${bigRun}${path}`)
    const until = performance.now() + secondsPerView * 1_000
    while (performance.now() < until) await act()
    await report(what)
  }
  const scroll = async () => {
    await page.mouse.move(640, 600)
    await page.mouse.wheel(0, 2_000 * (Math.random() - 0.3))
    await page.waitForTimeout(50)
  }
  await use("tree, scrolling", "", scroll)
  await use("timeline, scrolling", "/timeline", scroll)
  await use("events, scrolling", "/events", scroll)
  await use("task page", "/tasks/task-00001", () => page.waitForTimeout(200))
  await use("slider, dragged", "", async () => {
    const slider = page.getByRole("slider").first()
    const box = await slider.boundingBox()
    if (box === null) throw new Error("The slider cannot be seen.")
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + box.width * Math.random(), y)
    await page.mouse.down()
    for (let i = 0; i < 10; i++) await page.mouse.move(box.x + box.width * Math.random(), y)
    await page.mouse.up()
  })
  isOver = true
  await streaming
  const heap = await page.evaluate(
    () => (performance as unknown as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize ?? null
  )
  if (heap !== null) print(`heap of the main thread: ${(heap / 2 ** 20).toFixed(0)} MiB`)
} finally {
  await browser.close()
  child.kill("SIGTERM")
  await log.dispose()
  rmSync(dir, { recursive: true, force: true })
}
