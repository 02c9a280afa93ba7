import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { documentOf, proofline, until } from "../cli/proofline.ts"
import { type Serving, serving } from "../cli/serveClient.ts"
import { daily, inTurn } from "../often.ts"
import { violations } from "./axe.ts"
import { closeBrowser, open } from "./browser.ts"
import { greetings, opened, shown, staged } from "./stage.ts"

afterAll(closeBrowser)

/** Looked at by every test, and changed by none. */
let run: string
let server: Serving

beforeAll(async () => {
  const dir = greetings()
  run = documentOf(await proofline(["run", "tasks.yaml", "--json"], dir)).data.run_id
  server = await serving(dir)
})

const sizes = [
  [1280, 900],
  [360, 740]
] as const

/** Every view, with something that can be seen once it is there. */
const views = (run: string): ReadonlyArray<readonly [view: string, there: string | RegExp]> => [
  ["/", "greetings"],
  [`/runs/${run}`, "Greet people"],
  [`/runs/${run}/timeline`, /Timeline/],
  [`/runs/${run}/refusals`, /As attempt 1 left it/],
  [`/runs/${run}/events`, /✗ CHECKLIST_ITEM_REJECTED/],
  [`/runs/${run}/tasks/greet`, "Attempts"],
  [`/compare/${run}/${run}`, "Compare"],
  ["/stats?by=agent,task", "checklist_evidence_line_out_of_range"],
  ["/approvals", "Nothing waits for a person."],
  ["/start", "tasks.yaml"],
  ["/nowhere", "There is no such page."]
]

describe("every view of the page", () => {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [width, height] of inTurn(sizes, colorScheme === "light" ? 0 : 1)) {
      it(`given ${colorScheme} colours and ${width} pixels, has no violation that axe finds, and does not scroll sideways`, async () => {
        const { page } = await opened(server, "/", { colorScheme, viewport: { width, height } })
        for (const [view, there] of daily(views(run), 2, colorScheme === "light" ? 0 : 1)) {
          await page.goto(`${server.url}/#${view}`)
          await page.locator("h1").first().waitFor()
          await shown(page, there)
          if (view.includes("/tasks/")) {
            await page
              .getByRole("button", { name: /src\/greet\.js:5-7/ })
              .first()
              .click()
            await page
              .getByRole("region", { name: /src\/greet\.js/ })
              .first()
              .waitFor()
          }
          assert.deepStrictEqual(await violations(page), [], view)
          const tooWide = await page.evaluate(
            () => globalThis.document.documentElement.scrollWidth - globalThis.document.documentElement.clientWidth
          )
          assert.isAtMost(tooWide, 0, view)
        }
      })
    }
  }

  it("given nobody has signed in, the form has no violation either", async () => {
    const { page } = await open(server.url)
    await page.getByLabel("Token").waitFor()
    assert.deepStrictEqual(await violations(page), [])
  })
})

describe("a run that failed and waits for a person", () => {
  it("given its list and its own page, says why on the first screen, with no violation that axe finds", async () => {
    const item = (task: string) => `Write ${task}`
    const report = (task: string, more: object) => ({
      report: { summary: "", checklist: [{ item: item(task), status: "done", evidence: "a.js:9", ...more }] }
    })
    const dir = staged(
      `name: both\ntasks:\n${["fails", "asks", "waits"]
        .map(
          (id) =>
            `  - id: ${id}\n    name: ${id}\n    instruction: Write.\n    checklist: [${item(id)}]\n${id === "waits" ? "    depends_on: [fails]\n" : ""}`
        )
        .join("")}`,
      {
        fails: [report("fails", {}), report("fails", {}), report("fails", {})],
        asks: [
          {
            files: { "draft.js": "export const draft = 1\n" },
            ...report("asks", { status: "cannot", evidence: undefined, reason: "There is no key for it here." })
          }
        ]
      }
    )
    await proofline(["run", "tasks.yaml"], dir)
    const { page } = await opened(await serving(dir), "/", { viewport: { width: 390, height: 844 } })
    await page.locator(".runs-status").getByText("waiting for you").waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await page.getByRole("link", { name: "both", exact: true }).click()
    const why = page.getByRole("region", { name: "Why it failed" })
    await why
      .getByText("checklist_evidence_file_not_found")
      .or(why.getByText(/does not exist|not found/))
      .first()
      .waitFor()
    await why.getByRole("link", { name: "waits" }).waitFor()
    await why.getByText(/proofline resume run_/).waitFor()
    await shown(page, /The run has ended\. With your answer it is taken up again/)
    await page.getByRole("button", { name: "Give up The task fails, with this as the reason." }).waitFor()
    // what the work has changed stands beside the question
    await shown(page, /^Changed: \d files?, \+\d+ −0$/)
    await page.getByRole("region", { name: "Changes of draft.js" }).getByText("+export const draft = 1").waitFor()
    assert.deepStrictEqual(await violations(page), [])
  })
})

describe("the figures", () => {
  it("are found from the list of runs, and kept apart by what is chosen, which the address holds", async () => {
    const { page } = await opened(server)
    await page.getByRole("link", { name: "Figures" }).click()
    const table = page.getByRole("region", { name: "Figures" })
    await table.getByRole("rowheader", { name: "scripted" }).waitFor()
    await table.getByRole("cell", { name: "3/4 (75 %)" }).waitFor()
    await page.getByRole("button", { name: "task" }).click()
    await table.getByRole("rowheader", { name: "greet" }).waitFor()
    await page.getByRole("button", { name: "agent" }).click()
    await table.getByRole("rowheader", { name: "scripted" }).waitFor({ state: "detached" })
    assert.match(page.url(), /#\/stats\?by=task$/)
    // no agent of this project names a model
    assert.deepStrictEqual(await page.locator(".stats-asked .chip").allInnerTexts(), ["agent", "task", "kind", "run"])
    await page.getByLabel("Since").fill("2999-01-01")
    await shown(page, "Nothing ran since 2999-01-01.")
  })
})

describe("the filters of the runs", () => {
  it("offer what finds something, and what is chosen, to be taken back, whatever stands in the address", async () => {
    const { page } = await opened(server, "/?status=failed")
    const chips = page.getByRole("group", { name: "Status" }).getByRole("button")
    await shown(page, "No run fits.")
    assert.deepStrictEqual(await chips.allTextContents(), ["✓ completed 1", "✗ failed 0"])
    await chips.filter({ hasText: "failed" }).click()
    await shown(page, "greetings")
    assert.deepStrictEqual(await chips.allTextContents(), ["✓ completed 1"])
    assert.isFalse(await page.getByLabel("Kind").isVisible())
    await page.goto(`${server.url}/#/?status=nonsense`)
    await shown(page, "The runs could not be read.")
    await page.getByRole("button", { name: /nonsense/ }).click()
    await shown(page, "greetings")
  })
})

describe("two runs side by side", () => {
  it("given 390 pixels, shows how much more one has, marks what means something else, and fits", async () => {
    const dir = greetings()
    const first = documentOf(await proofline(["run", "tasks.yaml", "--json"], dir)).data.run_id
    rmSync(join(dir, "src"), { recursive: true })
    cpSync(join(dir, "tasks.yaml"), join(dir, "copy.yaml"))
    const second = documentOf(await proofline(["run", "copy.yaml", "--json"], dir)).data.run_id
    const { page } = await opened(await serving(dir), `/compare/${first}/${second}`, {
      viewport: { width: 390, height: 844 }
    })
    const row = (name: string) => page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) })
    const cells = (name: string) => row(name).getByRole("cell").allTextContents()
    await row("Attempts").waitFor()
    assert.deepStrictEqual(await cells("Attempts"), ["2", "1−1"])
    const marked = await page.locator("tr[data-differs=true] th").allTextContents()
    assert.deepStrictEqual(
      marked.map((text) => text.replace(" (differs)", "")),
      ["Attempts", "Claims refused"]
    )
    await shown(page, /−1 attempt · −1 refusal/)
    const tooWide = await page.evaluate(() =>
      ["html", ".compare-summary", ".compare-list", ".compare-pair"].map((one) => {
        const element = globalThis.document.querySelector(one)
        return element === null ? 1 : element.scrollWidth - element.clientWidth
      })
    )
    assert.deepStrictEqual(tooWide, [0, 0, 0, 0])
    await page.getByRole("button", { name: "Swap" }).click()
    await page.getByRole("cell", { name: /^2 ?\+1$/ }).waitFor()
    assert.deepStrictEqual(await violations(page), [])
  })
})

describe("what was refused", () => {
  it("is opened by the next refusal: claim, code as it was left and reason, with what the next attempt did about it", async () => {
    const { page } = await opened(server, `/runs/${run}/events`)
    await page.getByRole("slider").press("Home")
    await page.getByRole("button", { name: "Next refusal" }).click()
    await page.waitForURL(/\/refusals\?event=\d+/)
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Add farewell()" }) })
    await card.getByText("Attempt 1 claimed done with src/greet.js:5-7").waitFor()
    const code = card.getByRole("region", { name: /src\/greet\.js:5-7/ })
    assert.include(await code.innerText(), "Hello")
    assert.notInclude(await code.innerText(), "Goodbye")
    await card.getByText("As attempt 1 left it. It ends at line 3.").waitFor()
    await card.getByText("checklist_evidence_line_out_of_range").waitFor()
    await card.getByText(/Attempt 2 claimed done with src\/greet\.js:5-7/).waitFor()
    await card.getByText("held").waitFor()
    // the moment that is shown is before that attempt
    await card.getByText("As of now:").waitFor()
    assert.isTrue(await card.evaluate((one) => globalThis.document.activeElement === one))
    assert.isTrue(await page.getByRole("button", { name: "Next refusal" }).isDisabled())
    await page.getByRole("button", { name: "Back to live" }).click()
    await card.getByText("As of now:").waitFor({ state: "detached" })
    await card.getByText("held").waitFor()
  })
})

describe("an address", () => {
  it("holds moment, filters and the opened event, and is good in a new tab, which signs in by itself without a token in it", async () => {
    const { page } = await opened(server, `/runs/${run}/events`)
    await page.getByLabel("Search type and content").fill("greet")
    await page.getByLabel("All details").check()
    const field = page.getByRole("spinbutton", { name: "Event" })
    await field.fill("9")
    await field.press("Enter")
    await shown(page, /You see event 9 of/)
    await page.getByRole("listbox").getByRole("option").first().click()
    await page.waitForURL(/at=9/)
    assert.match(page.url(), /\/events\?q=greet&details=all/)
    assert.match(page.url(), /&event=\d+/)
    assert.notInclude(page.url(), server.token)

    const other = await page.context().newPage()
    await other.goto(page.url())
    await shown(other, /You see event 9 of/)
    await other.getByRole("heading", { name: /^Event \d+$/ }).waitFor()
    assert.strictEqual(await other.getByLabel("Search type and content").inputValue(), "greet")
    assert.isTrue(await other.getByLabel("All details").isChecked())
    // from view to view the moment stays, and back to live it is gone
    await other.getByRole("link", { name: "Tasks", exact: true }).click()
    await other.waitForURL(/\/runs\/[^/]+\?at=9$/)
    await other.keyboard.press(".")
    await other.waitForURL(/\/runs\/[^/?]+$/)
    await other.getByText(/You see event/).waitFor({ state: "detached" })
  })
})

describe("keys", () => {
  it("filter, move, go and find what is not drawn, and the palette leads to a task that is named in part", async () => {
    const { page } = await opened(server, "/")
    await shown(page, "greetings")
    const focused = (what: "textContent" | "role" | "placeholder") =>
      page.evaluate((what) => {
        const one = globalThis.document.activeElement
        return what === "textContent" ? one?.textContent : one?.getAttribute(what)
      }, what)
    await page.keyboard.press("/")
    assert.strictEqual(await focused("placeholder"), "Name or id")
    await page.keyboard.press("Tab")
    await page.keyboard.press("j")
    assert.strictEqual(await focused("textContent"), "greetings")
    await page.keyboard.press("Enter")
    await page.getByRole("tree").waitFor()
    await page.keyboard.press("j")
    assert.strictEqual(await focused("role"), "tree")
    await page.keyboard.press("g")
    await page.keyboard.press("e")
    await page.waitForURL(/\/events/)
    await page.getByLabel("All details").check()
    await page.keyboard.press("Control+f")
    assert.strictEqual(await focused("placeholder"), "Search type and content")
    await page.keyboard.press("Tab")
    await page.getByRole("listbox").focus()
    await page.keyboard.press("?")
    await page.getByRole("heading", { name: "Keys" }).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await page.keyboard.press("Escape")
    // what is asked stands before every other key
    await page.getByRole("button", { name: "Verify …" }).click()
    for (const key of ["g", "r", "Control+k"]) await page.keyboard.press(key)
    assert.match(page.url(), /\/events/)
    assert.strictEqual(await page.getByRole("dialog").count(), 1)
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: /run, task/ }).fill("people")
    await page.getByRole("option", { name: "Greet people task greet" }).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/tasks\/greet/)
  })
})

describe("a run of many tasks", () => {
  it("given one of them is named in part, is found by the palette, which does not ask at each key; all times go on by one timer", async () => {
    const many = 1_200
    const rest = Array.from(
      { length: many },
      (_, i) => `  - { id: t${i}, name: Part ${i}, instruction: I, depends_on: [first], checklist: [c] }`
    )
    const dir = staged(
      `name: many\ndefaults: { max_retries: 0 }\ntasks:\n  - { id: first, name: First, instruction: I, checklist: [c] }\n${rest.join("\n")}\n`,
      { first: [{ exit: 1 }] }
    )
    for (const _ of [1, 2, 3]) await proofline(["run", "tasks.yaml"], dir)
    const { page } = await opened(await serving(dir))
    await page.addInitScript(() => {
      const native = globalThis.setInterval
      const timers: Array<number> = []
      Object.assign(globalThis, { timers })
      globalThis.setInterval = ((run: () => void, ms: number) => {
        timers.push(ms)
        return native(run, ms)
      }) as typeof setInterval
    })
    await page.reload()
    await page.getByRole("link", { name: "many", exact: true }).nth(2).waitFor()
    const timers = await page.evaluate(() => (globalThis as unknown as { timers: ReadonlyArray<number> }).timers)
    assert.deepStrictEqual(
      timers.filter((ms) => ms === 30_000),
      [30_000]
    )
    await page.getByRole("link", { name: "many", exact: true }).first().click()
    await page.getByRole("tree").waitFor()
    const asked: Array<string> = []
    page.on("request", (request) => {
      if (/\/tasks\?/.test(request.url())) asked.push(new URL(request.url()).searchParams.get("q") ?? "")
    })
    await page.keyboard.press("Control+k")
    const field = page.getByRole("combobox", { name: /Page, project, run, task/ })
    // key by key, as fast as nobody types: how long a machine takes for one does not count
    await field.evaluate((input, text) => {
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value") ?? {}
      for (let end = 1; end <= text.length; end++) {
        set?.call(input, text.slice(0, end))
        input.dispatchEvent(new InputEvent("input", { bubbles: true }))
      }
    }, "part 1199")
    await page.getByRole("option", { name: "Part 1199 task t1199" }).waitFor()
    // the palette shows some before anything is typed
    assert.deepStrictEqual(
      asked.filter((text) => text !== ""),
      ["part 1199"]
    )
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/tasks\/t1199/)
    // what is done at once is chosen before anything is answered
    await page.keyboard.press("Control+k")
    await field.fill("timeline")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/timeline/)
  })
})

describe("the keyboard alone", () => {
  it("leads from the list of runs to the code of a piece of evidence, and back in time", async () => {
    const { page } = await opened(server)
    await shown(page, "greetings")
    const press = (key: string) => page.keyboard.press(key)
    const focused = () =>
      page.evaluate(() => {
        const one = globalThis.document.activeElement
        return one?.matches("a, button, summary, input, select") ? (one.textContent ?? "") : ""
      })
    /** Tab by tab, as somebody without a mouse. */
    const tabTo = async (wanted: (text: string) => boolean) => {
      for (let i = 0; i < 80; i++) {
        if (wanted(await focused())) return
        await press("Tab")
      }
      throw new Error("It cannot be reached by Tab.")
    }
    await tabTo((text) => text === "greetings")
    await press("Enter")
    await page.waitForURL(new RegExp(run))
    await page.getByRole("tree").focus()
    await press("Home")
    await press("Enter")
    await page.waitForURL(/\/tasks\/greet/)
    await shown(page, "Checklist")
    await tabTo((text) => text.includes("src/greet.js:5-7"))
    await press("Enter")
    await page
      .getByRole("region", { name: /src\/greet\.js/ })
      .first()
      .waitFor()
    await page.getByRole("slider").focus()
    await press("Home")
    await shown(page, /You see event 0 of/)
    await press("End")
    await shown(page, "completed · 2 proven")
  })

  it("moves in a list from row to row and to either end, opens a row, and is back in the list when it is closed", async () => {
    const { page } = await opened(server, `/runs/${run}/events`)
    await shown(page, "RUN_COMPLETED")
    const list = page.getByRole("listbox", { name: "Events of the run" })
    await list.focus()
    const last = Number(await page.locator(".events-row").first().getAttribute("aria-setsize"))
    const active = () =>
      list.evaluate((box) => {
        const id = box.getAttribute("aria-activedescendant") ?? ""
        return Number(globalThis.document.getElementById(id)?.getAttribute("aria-posinset"))
      })
    for (const [key, place] of [
      ["Home", 1],
      ["ArrowUp", 1],
      ["ArrowDown", 2],
      ["PageUp", 1],
      ["End", last],
      ["ArrowDown", last],
      ["ArrowUp", last - 1],
      ["Alt+Home", last - 1]
    ] as const) {
      await page.keyboard.press(key)
      await until(async () => (await active()) === place)
    }
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Close" }).press("Enter")
    assert.isTrue(await list.evaluate((box) => globalThis.document.activeElement === box))
  })
})
