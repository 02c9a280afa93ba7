import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { promptOptions } from "@proofline/plugins/options"
import type { Move } from "../cli/agent.ts"
import { chunk, part, pass, planned, stage, writes } from "../cli/chunkStage.ts"
import { eventsOf, proofline, until } from "../cli/proofline.ts"
import { serving } from "../cli/serveClient.ts"
import { violations } from "./axe.ts"
import { closeBrowser } from "./browser.ts"
import { git, greetings, opened, release, runAt, shown, staged } from "./stage.ts"

afterAll(closeBrowser)

/** An agent that does well. */
const written = (id: string): Move => ({
  files: { [`${id}.js`]: `export const ${id} = (a) => {\n  return a + 1\n}\n` },
  report: { summary: "", checklist: [{ item: `Add ${id}() to ${id}.js`, status: "done", evidence: `${id}.js:1-3` }] }
})

describe("a prompt", () => {
  it("given options of every form, is started on the page with all of them, and what will happen is said before", async () => {
    const dir = staged("tasks: [{id: a, name: A, instruction: A}]\n", {
      "task-001": [
        {
          files: { "src/a.js": "export const a = () => 1\n" },
          report: {
            summary: "It is there.",
            checklist: [{ item: "Add a() to src/a.js", status: "done", evidence: "src/a.js:1" }]
          }
        }
      ]
    })
    const server = await serving(dir)
    const { faults, page } = await opened(server, "/start")
    await page.getByRole("radio", { name: /A prompt/ }).check()
    const named = await page.evaluate(() => [
      ...new Set(
        [...globalThis.document.querySelectorAll("form [name]")].map((field) => field.getAttribute("name") ?? "")
      )
    ])
    assert.sameMembers(named, ["input", "prompt", "checks", "checklist", ...Object.keys(promptOptions)])
    await shown(page, /It is split into subtasks where that helps.*change files in/)

    const prompt = '--only "this" and `that`: add a()\n\n- to src/a.js, ä'
    await page.getByLabel("What is to be done").fill(prompt)
    await page.getByLabel("What must be true in the end").fill("\nAdd a() to src/a.js\n")
    await page.getByLabel("Commands that must pass").fill("grep -q 'a =' src/a.js\ntest -f src/a.js")
    await page.getByLabel("Most attempts").fill("7")
    await page.getByLabel("Highest cost").fill("2.5")
    // what the browser finds fault with is shown, though it was folded
    await page.getByText("More options").click()
    await page.getByLabel("Limit of an attempt").fill("90")
    await page.getByText("More options").click()
    await page.getByRole("button", { name: "Start the run" }).click()
    await page.getByLabel("Limit of an attempt").fill("90s")
    await page.getByLabel("Clean room").selectOption("no")
    await page.getByLabel("Analyzer").fill("heuristic")
    await page.getByLabel("Execution mode").selectOption("sequential")
    await page.getByLabel("Protected files").fill("e2e/*.{js,json}\nscripts/**")
    await page.getByLabel("TIMEOUT").check()
    // where it is scrolled to, the header covers half a field
    await page.evaluate(() => globalThis.scrollTo(0, 0))
    assert.deepStrictEqual(await violations(page), [])
    await page.getByRole("button", { name: "Start the run" }).click()
    await page.waitForURL(/#\/runs\//)
    await shown(page, /completed · /)

    const events = await eventsOf(runAt(page), dir)
    const { config } = events[0].content
    const { content: task } = events.find(({ event_type }) => event_type === "TASK_REGISTERED")
    assert.deepInclude(task, { instruction: prompt, checks: ["grep -q 'a =' src/a.js", "test -f src/a.js"] })
    const items = events.filter(({ event_type }) => event_type === "CHECKLIST_REGISTERED")
    assert.include(JSON.stringify(items), "Add a() to src/a.js")
    assert.deepInclude(config.budget, { max_attempts: 7, max_cost_usd: 2.5 })
    assert.deepInclude(config, { timeout_ms: 90_000, retry_on: ["TIMEOUT"] })
    assert.deepInclude(config.chunking, { analyzer: "heuristic", execution_mode: "sequential" })
    assert.includeMembers(config.proof.protected, ["e2e/*.{js,json}", "scripts/**"])
    assert.isFalse(config.proof.clean_room)

    await page.getByRole("button", { name: "Verify …" }).click()
    await shown(page, /No agent and no command is run, and nothing is changed\./)
    await page.getByRole("button", { name: "Verify the run" }).click()
    await shown(page, /1 of 1 hold in the files as they are now\./)
    assert.deepStrictEqual(faults, [])
  })
})

describe("a run that is stopped and taken up again on the page", () => {
  it("given the keyboard alone, keeps the focus where it can be found, and counts the attempts of the whole run", async () => {
    const dir = greetings("go")
    const server = await serving(dir)
    const { page } = await opened(server, "/start")
    await page.getByRole("radio", { name: /tasks\.yaml/ }).check()
    await page.getByRole("button", { name: "Start the run" }).press("Enter")
    await page.waitForURL(/#\/runs\//)
    await shown(page, "1 claim refused")

    await page.getByRole("button", { name: "Cancel …" }).press("Enter")
    await shown(page, /Agents are at work on 1 task: they are stopped\..*can be resumed later\./)
    await page.getByLabel(/Why/).press("Escape")
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "")
    assert.strictEqual(await focused(), "Cancel …")
    await page.keyboard.press("Enter")
    await page.getByLabel(/Why/).fill("not <b>now</b>")
    await page.keyboard.press("Enter")
    await shown(page, "not <b>now</b>")
    await until(async () =>
      (await page.evaluate(() => document.activeElement?.className ?? "")).includes("run-actions")
    )

    await page.getByRole("button", { name: "Resume …" }).press("Enter")
    await shown(page, /1 task of 1 not completed: what failed or was skipped is tried again\..*budgets count anew\./)
    await page.getByText("With other settings").click()
    await page.getByLabel("Most attempts").fill("9")
    await page.getByRole("button", { name: "Resume the run" }).press("Enter")
    await shown(page, /^\d, \d of 9 since it was resumed$/)
    release(dir, "go")
    await shown(page, "completed · 2 proven")
    // a server that ends by itself leaves no run behind
    await server.stop()
  })
})

describe("a task that failed", () => {
  it("is tried again on its page, after that was said before, with a word for its agent, by button, key and palette", async () => {
    const dir = staged(
      `name: pair
defaults: { max_retries: 0 }
tasks:
  - { id: greet, name: Greet, instruction: Write greet(), checklist: [Add greet() to greet.js] }
  - { id: after, name: After, instruction: Write after(), depends_on: [greet], checklist: [Add after() to after.js] }
  - { id: other, name: Other, instruction: Write other(), checklist: [Add other() to other.js] }
`,
      Object.fromEntries(["greet", "after", "other"].map((id) => [id, [{ exit: 3 }, written(id)]]))
    )
    assert.strictEqual((await proofline(["run", "tasks.yaml"], dir)).code, 1)
    // what never began does so well at once
    writeFileSync(join(dir, "script.json"), JSON.stringify({ greet: [written("greet")], after: [written("after")] }))
    const server = await serving(dir)
    const { faults, page } = await opened(server)
    await page.getByRole("link", { name: "pair", exact: true }).click()
    await page.getByRole("treeitem", { name: /Other/ }).waitFor()
    // no task is shown
    await page.keyboard.press("r")
    assert.strictEqual(await page.getByRole("dialog").count(), 0)
    await page.getByRole("link", { name: "Other", exact: true }).first().click()
    await page.getByRole("button", { name: "Try again …" }).waitFor()
    await page.keyboard.press("r")
    await shown(page, /^other is tried again, with a fresh set of attempts\. What else failed/)
    await page.keyboard.press("Escape")
    await page.getByRole("link", { name: "After", exact: true }).first().click()
    await page.locator(".task-head").getByText("After").first().waitFor()
    await page.getByRole("button", { name: "Try again …" }).waitFor()
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: /run, task/ }).fill("try this task again")
    await page.getByRole("option", { name: /Try this task again/ }).click()
    await shown(page, "It cannot be tried again by itself.")
    await shown(page, "task_waits")
    assert.isTrue(await page.getByRole("button", { name: "Try it again" }).isDisabled())
    await page.keyboard.press("Escape")

    await page.getByRole("link", { name: "Greet", exact: true }).first().click()
    await page.getByRole("button", { name: "Try again …" }).press("Enter")
    await shown(page, /^greet is tried again.*after, skipped because of it, goes on after it\..*budgets count anew\.$/)
    assert.deepStrictEqual(await violations(page), [])
    await page.getByLabel(/What its agent is told/).fill("Mind <b>the port</b>.")
    await page.getByRole("button", { name: "Try it again" }).click()
    await shown(page, "A person had it tried again, and said:")
    await shown(page, "Mind <b>the port</b>.")
    await page.locator(".task-head").getByText("proven").first().waitFor()
    await until(async () => (await page.locator(".run-header").getAttribute("data-status")) === "incomplete")
    assert.strictEqual(await page.getByRole("button", { name: "Try again …" }).count(), 0)
    const events = await eventsOf(runAt(page), dir)
    const { only } = events.find(({ event_type }) => event_type === "RUN_RESUMED").content
    assert.deepInclude(only, { tasks: ["greet"], set_aside: [], note: "Mind <b>the port</b>." })
    const prompt = events.findLast(({ event_type }) => event_type === "ATTEMPT_STARTED").content
    assert.strictEqual(prompt.task_id, "after")
    // in the past nothing can be done
    await page.getByRole("link", { name: "Other", exact: true }).first().click()
    await page.getByRole("button", { name: "Try again …" }).waitFor()
    await page.getByRole("slider").press("PageUp")
    await page.getByRole("slider").press("Home")
    await shown(page, /You see event 0 of/)
    await page.keyboard.press("r")
    assert.strictEqual(await page.getByRole("dialog").count(), 0)
    // what a resume of it is refused for was asked for
    assert.deepStrictEqual(
      faults.filter((fault) => !fault.includes("409 (Conflict)")),
      []
    )
    await server.stop()
  })
})

describe("evidence that changed since it was accepted", () => {
  it("given lines that were edited, moved, or whose file is gone or no text any more, says which, and shows the lines as they were", async () => {
    const names = ["edited", "moved", "gone", "binary"]
    const lines = (name: string) => `export const ${name} = (a) => {\n  const b = a + 1\n  return b\n}\n`
    const item = (name: string) => `Write ${name}`
    const dir = staged(
      `name: files\ntasks:\n  - id: files\n    name: Write files\n    instruction: Write.\n    checklist: [${names.map(item).join(", ")}]\n`,
      {
        files: [
          {
            files: Object.fromEntries(names.map((name) => [`${name}.js`, lines(name)])),
            report: {
              summary: "All are there.",
              checklist: names.map((name) => ({ item: item(name), status: "done", evidence: `${name}.js:1-4` }))
            }
          }
        ]
      }
    )
    await git(dir, "init")
    assert.strictEqual((await proofline(["run", "tasks.yaml"], dir)).code, 0)
    await git(dir, "add", ".")
    await git(dir, "commit", "-m", "work")
    writeFileSync(join(dir, "edited.js"), lines("edited").replace("a + 1", "a - 1"))
    writeFileSync(join(dir, "moved.js"), `// one\n// two\n${lines("moved")}`)
    rmSync(join(dir, "gone.js"))
    writeFileSync(join(dir, "binary.js"), Buffer.from([0, 1, 2, 255, 0]))

    const { faults, page } = await opened(await serving(dir))
    await page.getByRole("link", { name: "files" }).first().click()
    await page.getByRole("link", { name: "Write files" }).click()
    const said = [
      "the lines changed since they were accepted",
      "the same lines stand at moved.js:3-6 now",
      "the lines are gone",
      "the lines cannot be read"
    ]
    // seen at once, before anything is opened: what holds no longer is not left to look proven
    const first = (name: string) =>
      page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: item(name) }) })
    await first("edited").getByText("stale now").waitFor()
    await first("gone").getByText("missing now").waitFor()
    assert.strictEqual(await first("moved").getByText(" now").count(), 0)
    for (const [i, name] of names.entries()) {
      const row = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: item(name) }) })
      await row.getByRole("button", { name: new RegExp(`${name}\\.js:1-4`) }).click()
      await row.getByText(said[i] ?? "").waitFor()
      await row.getByText("return b").first().waitFor()
    }
    assert.deepStrictEqual(faults, [])
  })
})

describe("a task in parts", () => {
  it("given parts at work, a review that sends one back and a conflict, shows each live, and goes on when a person has decided", async () => {
    const shared = (name: string) => writes("shared.js", `export const ${name} = 1\n`)
    const on = stage({
      "analyze:task-001": planned(part("Write one"), part("Write two"), part("Write three", [1])),
      "task-001-sub-1": [{ ...shared("one"), meet: 2, run: "touch %stage/first-done" }],
      "task-001-sub-2": [{ ...shared("two"), meet: 2, until: "first-done" }],
      "task-001-sub-3": [
        { ...writes("three.js"), until: "go" },
        { ...writes("three.js", "export const three = 4\n"), until: "go-on" }
      ],
      "review:task-001-sub-3": [{ report: { judgment: "REJECT", modification_prompt: "Make it four." } }, pass],
      "review:*": [pass]
    })
    const server = await serving(on.dir)
    const { faults, page } = await opened(server)
    const running = chunk(on, "--conflict-resolution", "manual")
    await page
      .getByRole("link", { name: /Do the big thing/ })
      .first()
      .click()
    await shown(page, "RUNNING - Chunked 2/3")
    release(on.room, "go")
    await shown(page, "Running (iteration 2)")
    release(on.room, "go-on")
    assert.strictEqual((await running).code, 3)
    await shown(page, "INCOMPLETE - Chunked 3/3")

    writeFileSync(join(on.dir, "shared.js"), "export const one = 1\nexport const two = 1\n")
    await page.getByRole("button", { name: /I decided in the files/ }).click()
    await page.locator("[data-run][data-status=completed]").waitFor()
    await shown(page, "COMPLETE - Chunked 3/3")
    const run = runAt(page)
    await page.goto(`${server.url}/#/runs/${run}/tasks/task-001-sub-3`)
    await page.getByRole("heading", { name: "Retries" }).waitFor()
    await shown(page, "Sent back")
    // nobody worked on the whole: its parts were put together
    await page.goto(`${server.url}/#/runs/${run}/tasks/task-001`)
    await shown(page, "its parts, put together without an agent")
    assert.strictEqual(await page.getByText("Last worked on by").count(), 0)
    assert.strictEqual(await page.getByText("What it claimed").count(), 0)
    assert.deepStrictEqual(faults, [])
  })
})
