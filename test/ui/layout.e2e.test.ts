import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Locator, Page } from "playwright-core"
import { project, proofline, start, until } from "../cli/proofline.ts"
import { stage } from "../cli/requirementsStage.ts"
import { type Serving, serving } from "../cli/serveClient.ts"
import { closeBrowser } from "./browser.ts"
import { opened, release, runAt, shown } from "./stage.ts"

afterAll(closeBrowser)

/** Nothing has moved on the page since it was loaded, as browsers measure it; what follows a key or a click at once is left out. */
const movesNothing = async (page: Page): Promise<void> => {
  const shifts = await page.evaluate(
    () =>
      new Promise<ReadonlyArray<{ readonly value: number; readonly moved: ReadonlyArray<string> }>>((resolve) => {
        const seen: Array<{ readonly value: number; readonly moved: ReadonlyArray<string> }> = []
        const nameOf = (node: Node | null): string =>
          node instanceof HTMLElement ? `${node.tagName}.${node.className}` : (node?.nodeName ?? "gone")
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as unknown as Array<Shift>)
            if (!entry.hadRecentInput)
              seen.push({
                value: entry.value,
                moved: entry.sources.map(
                  ({ currentRect, node, previousRect }) =>
                    `${nameOf(node)} ${Math.round(previousRect.x)},${Math.round(previousRect.y)} → ${Math.round(currentRect.x)},${Math.round(currentRect.y)}`
                )
              })
        })
        observer.observe({ type: "layout-shift", buffered: true })
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(seen))))
      })
  )
  const sum = shifts.reduce((sum, { value }) => sum + value, 0)
  assert.isAtMost(sum, 0.01, JSON.stringify(shifts, null, 1))
}

/** What browsers tell of a layout shift; TypeScript's own types do not know it. */
interface Shift {
  readonly value: number
  readonly hadRecentInput: boolean
  readonly sources: ReadonlyArray<{
    readonly node: Node | null
    readonly previousRect: DOMRectReadOnly
    readonly currentRect: DOMRectReadOnly
  }>
}

const boxOf = async (one: Locator) =>
  (await one.boundingBox()) ?? { x: 0, y: Number.POSITIVE_INFINITY, width: 0, height: 0 }

/** Where the parts of the page are that have to stay in their place. */
const places = (page: Page) =>
  page.evaluate(() =>
    [".run-header", ".run-tabs", ".slider", ".tree-box", ".tree-row", "#task-title", ".run-proof", ".run-actions"].map(
      (one) => {
        const box = globalThis.document.querySelector(one)?.getBoundingClientRect()
        return [one, box?.x, box?.y]
      }
    )
  )

/** Prints lines in green until it may end. */
const lines = [
  "i=0",
  "while [ ! -e go ]; do i=$((i+1)); printf '\\033[32mpassed\\033[0m line %d\\n' $i; sleep 0.05; done",
  "echo a > a.txt",
  `echo '{"summary":"","checklist":[{"item":"Write a.txt","status":"done","evidence":"a.txt:1"}]}' > $PROOFLINE_REPORT_FILE`
].join("\n")

let dir: string
let server: Serving
let running: ReturnType<typeof proofline>

beforeAll(async () => {
  dir = project({
    "tasks.yaml": "name: lines\ntasks: [{ id: a, name: Write lines, instruction: Write., checklist: [Write a.txt] }]\n",
    "proofline.yaml": "agent: lines\nreviewer: none\nagents: { lines: { command: sh lines.sh } }\n",
    "lines.sh": lines
  })
  running = proofline(["run", "tasks.yaml"], dir)
  server = await serving(dir)
})

describe("a run on the screen", () => {
  it("given 1440×900, shows tree and task side by side above the fold, follows the output in its colours, and moves nothing", async () => {
    const { page } = await opened(server, "/", { viewport: { width: 1440, height: 900 } })
    await page.getByRole("link", { name: "lines", exact: true }).first().click()
    await page.getByRole("link", { name: "Write lines" }).click()
    const output = page.getByRole("region", { name: "stdout of attempt 1" })
    await output.waitFor()
    // loaded as from a link: what comes piece by piece may not push anything away
    await page.reload()
    await output.locator(".ansi-2").first().waitFor()
    const end = async () => Number(/line (\d+)\s*$/.exec(await output.innerText())?.[1] ?? 0)
    const before = await end()
    await until(async () => (await end()) > before + 20)
    await until(() =>
      output.evaluate(
        ({ clientHeight, scrollHeight, scrollTop }) =>
          scrollHeight > clientHeight && scrollTop + clientHeight > scrollHeight - 24
      )
    )
    const boxes = await Promise.all([page.getByRole("tree"), page.locator("#task-title"), output].map(boxOf))
    for (const { y } of boxes) assert.isBelow(y, 500)
    assert.isBelow((boxes[0]?.x ?? 0) + (boxes[0]?.width ?? 0), boxes[1]?.x ?? 0)
    release(dir, "go")
    assert.strictEqual((await running).code, 0)
    await shown(page, "completed · 1 proven")

    const live = await places(page)
    await page.getByRole("button", { name: "One event back" }).click()
    await shown(page, /You see event/)
    assert.deepStrictEqual(await places(page), live)
    await page.getByRole("button", { name: "Back to live" }).click()
    await page.getByText(/You see event/).waitFor({ state: "detached" })
    assert.deepStrictEqual(await places(page), live)
    await movesNothing(page)
  })

  it("given 390×844, shows the tasks first and folds actions and slider", async () => {
    const { page } = await opened(server, "/", { viewport: { width: 390, height: 844 } })
    await page.getByRole("link", { name: "lines", exact: true }).click()
    const row = page.getByRole("treeitem").first()
    await row.waitFor()
    assert.isBelow((await boxOf(row)).y, 300)
    const slider = page.getByRole("slider")
    assert.isFalse(await slider.isVisible())
    await page.getByRole("button", { name: "Actions and slider" }).click()
    await slider.press("Home")
    await shown(page, /You see event 0 of/)
    await slider.press("End")
    await page.getByRole("button", { name: "Fold actions and slider" }).click()
    await slider.waitFor({ state: "hidden" })
    await page.getByRole("link", { name: "Write lines" }).click()
    await page.getByRole("tree").waitFor({ state: "hidden" })
    assert.isBelow((await boxOf(page.locator("#task-title"))).y, 300)
    await page.reload()
    await shown(page, "Attempts")
    await movesNothing(page)
  })

  it("given requirements, opens on them", async () => {
    const dir = stage({}, "generate:iteration-1")
    start(["run-requirements", "requirements.yaml", "--agent", "command", "--agent-command", "node agent.mjs"], dir)
    const { page } = await opened(await serving(dir))
    await page.locator(".runs-link").first().click()
    await page.getByRole("heading", { name: "Requirements", exact: true }).waitFor()
    assert.match(page.url(), new RegExp(`/runs/${runAt(page)}$`))
  })
})

describe("the list of runs", () => {
  it("given a status of several words, keeps it beside the name of the run at every width", async () => {
    const dir = project({
      "tasks.yaml": "tasks: [{ id: a, name: A, instruction: Write., checklist: [Write a.txt] }]\n",
      "proofline.yaml": 'agent: idle\nreviewer: none\nagents: { idle: { command: "true" } }\n'
    })
    await proofline(["run", "tasks.yaml", "--max-attempts", "1"], dir)
    const { page } = await opened(await serving(dir))
    await shown(page, "stopped, unproven")
    for (const width of [1440, 1200, 821, 360]) {
      await page.setViewportSize({ width, height: 800 })
      const status = await boxOf(page.locator(".runs-status .badge"))
      const name = await boxOf(page.locator(".runs-name"))
      const isBeside = status.x + status.width <= name.x || status.y >= name.y + name.height
      assert.isTrue(isBeside, `${width}: ${JSON.stringify({ status, name })}`)
    }
  })
})

describe("a tree of more tasks than are in sight", () => {
  it("given the address of a task far down, its row is in sight and marked, and its name is cut", async () => {
    const ids = Array.from({ length: 400 }, (_, i) => `t${i}`)
    const tasks = ids.map((id) => {
      const name = id === "t350" ? "n".repeat(6_000) : `Task ${id}`
      return `  - { id: ${id}, name: ${name}, instruction: Write., checklist: [Write ${id}.txt] }`
    })
    const dir = project({
      "tasks.yaml": `name: many\ntasks:\n${tasks.join("\n")}\n`,
      "proofline.yaml": 'agent: idle\nreviewer: none\nagents: { idle: { command: "true" } }\n'
    })
    await proofline(["run", "tasks.yaml", "--max-attempts", "1"], dir)
    const many = await serving(dir)
    const { page } = await opened(many)
    await page.getByRole("link", { name: "many", exact: true }).first().click()
    await page.waitForURL(/#\/runs\//)
    const run = runAt(page)
    for (const id of ["t350", "t10", "t399"]) {
      await page.goto(`${many.url}/#/runs/${run}/tasks/${id}`)
      const row = page.locator(".tree-row[aria-current]").filter({ hasText: id })
      await row.waitFor()
      const [box, at] = await Promise.all([page.getByRole("tree"), row].map(boxOf))
      const middle = (at?.y ?? 0) + (at?.height ?? 0) / 2
      assert.isAbove(middle, box?.y ?? 0, id)
      assert.isBelow(middle, (box?.y ?? 0) + (box?.height ?? 0), id)
      if (id === "t350") assert.lengthOf([...(await page.locator("#task-title").innerText())], 120)
    }
  })
})

describe("a name that is written from right to left", () => {
  it("given it is too long for its row, is cut at its end; on a narrow screen each tab is one line", async () => {
    const name = "أضف دالة الجمع إلى الملف ".repeat(8).trim()
    const dir = project({
      "tasks.yaml": `name: rtl\ntasks:\n  - { id: a, name: ${name}, instruction: Write., checklist: [Write a.txt] }\n`,
      "proofline.yaml": 'agent: idle\nreviewer: none\nagents: { idle: { command: "true" } }\n'
    })
    await proofline(["run", "tasks.yaml", "--max-attempts", "1"], dir)
    const { page } = await opened(await serving(dir), "/", { viewport: { width: 360, height: 900 } })
    await page.getByRole("link", { name: "rtl", exact: true }).first().click()
    const link = page.locator(".tree-link")
    await link.waitFor()
    const firstIn = (element: Element) => {
      const range = document.createRange()
      const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode() ?? element
      range.setStart(text, 0)
      range.setEnd(text, 1)
      return [element, range].map((one) => one.getBoundingClientRect().toJSON())
    }
    const [row, first] = await link.evaluate(firstIn)
    assert.isAtMost(first.right, row.right + 1)
    assert.isAtLeast(first.left, row.left)
    const tabs = await page.locator(".run-tab").evaluateAll((all) => all.map(({ clientHeight }) => clientHeight))
    assert.isBelow(Math.max(...tabs), 50)
    // as the heading of its task it begins on the right
    await link.click()
    const [heading, start] = await page.locator("#task-title").evaluate(firstIn)
    assert.isAtMost(Math.abs(heading.right - start.right), 1)
  })
})
