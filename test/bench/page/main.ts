/**
 * What the page costs, measured in a real Chromium beside the server and a writer on the same machine: its first load,
 * how soon a run of 20,000 events can be read, how soon an event is seen, and how smooth the page is with a run of
 * 10,600 tasks and 200,000 events while 500 more a second come in.
 * `main.ts [first|middle|live|large]…`: only these. Not measured: networks, other browsers.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type AnyEvent, EventLog } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, Layer, ManagedRuntime } from "effect"
import { type Browser, chromium, type Page } from "playwright-core"
import { chromiumPath } from "../../chromium.ts"
import { bigRun, bigRunEvents, candidates } from "./bigLog.ts"

const launcher = fileURLToPath(new URL("../../../packages/cli/bin/proofline.cjs", import.meta.url))

/** Of the tasks of the large run. */
const large = 10_600
/** Of the tasks of a run of 20,000 events. */
const middle = 1_050
const perSecond = 500
const perTick = perSecond / 10
const secondsPerView = 4
/** How often a page is loaded anew; the middle of the times is told. */
const loads = 7
/** How many events are followed from the log to the screen, one after the other, and how far apart, in ms. */
const seenEvents = 1_000
const apartMs = 40

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
const count = (n: number): string => n.toLocaleString("en-US")
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const quantile = (times: ReadonlyArray<number>, share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0

/** A project whose log holds one run; the server reads it as it would that of another program. */
interface Stage {
  readonly url: string
  readonly token: string
  readonly version: () => number
  readonly append: (events: ReadonlyArray<AnyEvent>) => Promise<void>
  /** What is left of the run, to be appended later. */
  readonly later: Array<AnyEvent>
}

const withStage = async (
  { tasks, kept }: { readonly tasks: number; readonly kept: number },
  use: (stage: Stage) => Promise<void>
): Promise<void> => {
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
  const all = [...bigRunEvents(tasks)].flat()
  const later = all.splice(all.length - kept)
  for (let i = 0; i < all.length; i += 5_000) await append(all.slice(i, i + 5_000))
  const server: ChildProcess = spawn(process.execPath, [launcher, "serve", "--port", "0", "--json"], {
    cwd: dir,
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    const line = await new Promise<string>((resolve) => server.stdout?.once("data", (chunk) => resolve(String(chunk))))
    const { token, url } = JSON.parse(line).data
    await use({ url, token, version: () => version, append, later })
  } finally {
    const ended = once(server, "exit")
    server.kill("SIGTERM")
    await ended
    await log.dispose()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** A page of a browser that has never been here, which notes tasks of over 50 ms. */
const newPage = async (browser: Browser): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  await page.addInitScript(() => {
    const seen: Array<number> = []
    Object.assign(globalThis, { longTasks: seen })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.push(duration)
    }).observe({ type: "longtask" as "mark", buffered: true })
  })
  return page
}

/** When a text is on the screen of a page that is opened from now on, by the clock of this machine: with the frame behind the next one. */
const seenAt = async (page: Page, text: string): Promise<() => Promise<number>> => {
  await page.addInitScript((text) => {
    const seen = Promise.withResolvers<number>()
    Object.assign(globalThis, { textSeen: seen.promise })
    const observer = new MutationObserver(() => {
      if (document.body?.textContent?.includes(text) !== true) return
      observer.disconnect()
      requestAnimationFrame(() => requestAnimationFrame(() => seen.resolve(performance.timeOrigin + performance.now())))
    })
    observer.observe(document, { childList: true, characterData: true, subtree: true })
  }, text)
  return () => page.evaluate(() => (globalThis as unknown as { textSeen: Promise<number> }).textSeen)
}

const now = (): number => performance.timeOrigin + performance.now()

/** Durations of tasks of over 50 ms since it was asked last. */
const longTasks = (page: Page): Promise<ReadonlyArray<number>> =>
  page.evaluate(() => (globalThis as unknown as { longTasks: Array<number> }).longTasks.splice(0))

const reportTasks = async (page: Page, what: string): Promise<void> => {
  const durations = await longTasks(page)
  const longest = Math.max(0, ...durations)
  print(`  ${what.padEnd(34)} longest task ${longest.toFixed(0).padStart(4)} ms, ${durations.length} of over 50 ms`)
}

const heap = (page: Page): Promise<number> =>
  page.evaluate(
    () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 2 ** 20
  )

/** What the worker holds that folds the log, in MiB: values, and the bytes of the events. */
const heapOfWorker = async (page: Page): Promise<readonly [values: number, bytes: number]> => {
  const session = await page.context().newCDPSession(page)
  try {
    const attached = new Promise<string>((resolve) =>
      session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
        if (targetInfo.type === "worker") resolve(sessionId)
      })
    )
    await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false })
    const sessionId = await attached
    const ask = async (id: number, method: string): Promise<Readonly<Record<string, number>>> => {
      const answered = new Promise<Readonly<Record<string, number>>>((resolve) =>
        session.on("Target.receivedMessageFromTarget", ({ message }) => {
          const said = JSON.parse(message)
          if (said.id === id) resolve(said.result)
        })
      )
      await session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method }) })
      return answered
    }
    await ask(1, "HeapProfiler.collectGarbage")
    const { usedSize = 0, backingStorageSize = 0 } = await ask(2, "Runtime.getHeapUsage")
    return [usedSize / 2 ** 20, backingStorageSize / 2 ** 20]
  } finally {
    await session.detach()
  }
}

const measureFirst = (browser: Browser): Promise<void> =>
  withStage({ tasks: 20, kept: 0 }, async ({ token, url }) => {
    const times: Array<number> = []
    let bytes = 0
    for (let i = 0; i < loads; i++) {
      const page = await newPage(browser)
      const session = await page.context().newCDPSession(page)
      bytes = 0
      session.on("Network.loadingFinished", ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      await session.send("Network.enable")
      const listed = await seenAt(page, bigRun)
      const began = now()
      await page.goto(`${url}/#token=${token}`, { waitUntil: "commit" })
      times.push((await listed()) - began)
      if (i === loads - 1) await reportTasks(page, "a browser that was never here")
      await page.context().close()
    }
    print(
      `  ${(bytes / 1_000).toFixed(0)} kB over the wire, a list to read after ${quantile(times, 0.5).toFixed(0)} ms`
    )
  })

const measureMiddle = (browser: Browser): Promise<void> =>
  withStage({ tasks: middle, kept: 0 }, async (stage) => {
    const times: Array<number> = []
    for (let i = 0; i < loads; i++) {
      const page = await newPage(browser)
      const drawn = await seenAt(page, "Part 1 of a large piece of work")
      await page.goto(`${stage.url}/#token=${stage.token}`)
      await page.getByText(bigRun).first().waitFor()
      await longTasks(page)
      const began = now()
      await page.goto(`${stage.url}/#/runs/${bigRun}`)
      times.push((await drawn()) - began)
      if (i === loads - 1) {
        await page.locator(`input[type=range][max="${stage.version()}"]`).waitFor({ timeout: 60_000 })
        await reportTasks(page, `${count(stage.version())} events, opened`)
      }
      await page.context().close()
    }
    print(`  a tree to read after ${quantile(times, 0.5).toFixed(0)} ms`)
  })

const measureLive = (browser: Browser): Promise<void> =>
  withStage({ tasks: middle, kept: seenEvents }, async (stage) => {
    const page = await newPage(browser)
    await page.goto(`${stage.url}/#token=${stage.token}`)
    await page.goto(`${stage.url}/#/runs/${bigRun}`)
    await page.locator(`input[type=range][max="${stage.version()}"]`).waitFor({ timeout: 60_000 })
    // the slider ends at the newest event; what is drawn then is on the screen with the frame behind the next one
    await page.evaluate(() => {
      const slider = document.querySelector("input[type=range]")
      if (!(slider instanceof HTMLInputElement)) throw new Error("There is no slider.")
      const seen: Array<[number, number]> = []
      Object.assign(globalThis, { seenVersions: seen })
      new MutationObserver(() => {
        const version = Number(slider.max)
        requestAnimationFrame(() =>
          requestAnimationFrame(() => seen.push([version, performance.timeOrigin + performance.now()]))
        )
      }).observe(slider, { attributes: true, attributeFilter: ["max"] })
    })
    await longTasks(page)
    const written: Array<[number, number]> = []
    while (stage.later.length > 0) {
      await stage.append(stage.later.splice(0, 1))
      written.push([stage.version(), now()])
      await pause(apartMs)
    }
    await page.locator(`input[type=range][max="${stage.version()}"]`).waitFor()
    await pause(100)
    const seen = await page.evaluate(
      () => (globalThis as unknown as { seenVersions: ReadonlyArray<readonly [number, number]> }).seenVersions
    )
    const times = written.map(([version, at]) => (seen.find(([one]) => one >= version)?.[1] ?? Number.NaN) - at)
    print(
      `${count(times.length)} events, one each ${apartMs} ms, written by another program: on the screen after ${quantile(times, 0.5).toFixed(0)} ms, p95 ${quantile(times, 0.95).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`
    )
    await reportTasks(page, "meanwhile")
    await page.context().close()
  })

const measureLarge = (browser: Browser): Promise<void> =>
  withStage({ tasks: large, kept: perSecond * secondsPerView * 8 }, async (stage) => {
    const page = await newPage(browser)
    print(`${count(stage.version())} events of ${count(large)} tasks, and ${perSecond} more a second`)
    const began = performance.now()
    await page.goto(`${stage.url}/#token=${stage.token}`)
    await page.goto(`${stage.url}/#/runs/${bigRun}`)
    await page.locator(`input[type=range][max="${stage.version()}"]`).waitFor({ timeout: 300_000 })
    print(`  read and folded in ${((performance.now() - began) / 1_000).toFixed(1)} s`)
    await reportTasks(page, "while it was read")
    let isOver = false
    const streaming = (async () => {
      while (!isOver && stage.later.length > 0) {
        const at = performance.now()
        await stage.append(stage.later.splice(0, perTick))
        await pause(Math.max(0, 100 - (performance.now() - at)))
      }
    })()
    const use = async (what: string, path: string, act: () => Promise<void>) => {
      await page.goto(`${stage.url}/#/runs/${bigRun}${path}`)
      const until = performance.now() + secondsPerView * 1_000
      while (performance.now() < until) await act()
      await reportTasks(page, what)
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
    const [values, bytes] = await heapOfWorker(page)
    print(
      `  heap of the main thread ${(await heap(page)).toFixed(0)} MiB; of the worker ${values.toFixed(0)} MiB, and ${bytes.toFixed(0)} MiB of the events' bytes`
    )
    await page.context().close()
  })

const measures = { first: measureFirst, middle: measureMiddle, live: measureLive, large: measureLarge }
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(measures, name))
if (unknown.length > 0) throw new Error(`There is nothing called ${unknown.join(", ")}.`)

const browser = await chromium.launch({
  executablePath: chromiumPath() ?? "",
  // else Chromium rounds what it tells of its memory
  args: ["--enable-precise-memory-info", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])]
})
try {
  for (const [name, measure] of Object.entries(measures)) {
    if (asked.length === 0 || asked.includes(name)) await measure(browser)
  }
} finally {
  await browser.close()
}
