import { existsSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import type { WorkerView } from "@proofline/plugins/frontends/http/api"
import { byMachine } from "../../packages/ui/src/pages/runs/machines.ts"
import { afterwards, proofline, repository, start, until } from "../cli/proofline.ts"
import { serving } from "../cli/serveClient.ts"
import { describePostgres, newDatabase } from "../postgres.ts"
import { violations } from "./axe.ts"
import { closeBrowser } from "./browser.ts"
import { opened, shown } from "./stage.ts"

afterAll(closeBrowser)

const files = {
  "tasks.yaml": "name: shared\ntasks: [{ id: a, name: A, instruction: A, checklist: [Write a.txt] }]\n",
  "proofline.yaml": "agents: { slow: { command: 'touch \"$AT_WORK\"; exec sleep 600' } }\n"
}

describe("the machines of workers", () => {
  const worker = (name: string, host: string, more: Partial<WorkerView> = {}): WorkerView => ({
    ...{ name, host, pid: 1, slots: 2, holding: 1, labels: [], version: "", leases: [] },
    ...{ seen_at: "", deadline: "", lost: false, silent_ms: 0, ...more }
  })
  it("given workers of some machines, then each has its own, and what is lost stands behind and counts for nothing", () => {
    const machines = byMachine([
      worker("a", "dead", { lost: true }),
      worker("b", "box", { lost: true }),
      worker("c", "box"),
      worker("d", "tower", { slots: 8, holding: 3 }),
      worker("e", "box")
    ])
    assert.deepStrictEqual(
      machines.map(({ holding, host, living, slots, workers }) => [
        host,
        [living, slots, holding],
        workers.map(({ name }) => name)
      ]),
      [
        ["box", [2, 4, 2], ["c", "e", "b"]],
        ["tower", [1, 8, 3], ["d"]],
        ["dead", [0, 0, 0], ["a"]]
      ]
    )
  })
})

describePostgres("given workers at work", () => {
  it("the page shows their machine, what each is at, which is lost, and where an attempt ran; without them nothing", async () => {
    const dir = repository(files)
    const { remove, url } = await newDatabase()
    afterwards(remove)
    const atWork = join(dir, ".git", "at-work")
    const env = { PROOFLINE_DATABASE_URL: url, AT_WORK: atWork }
    const server = await serving(dir, [], env)
    const { page, settled } = await opened(server)
    const workers = page.getByRole("region", { name: "Workers" })
    await settled()
    assert.strictEqual(await workers.count(), 0)
    const left = start(["worker", "--slots", "2", "--labels", "gpu", "--name", "left hand"], dir, env)
    const right = start(["worker", "--slots", "3", "--name", "right hand"], dir, env)
    start(["run", "tasks.yaml", "--agent", "slow", "--labels", "gpu"], dir, env)
    await until(() => existsSync(atWork))
    await workers.getByRole("heading", { name: hostname() }).waitFor()
    await workers.getByText("2 workers, 1 of 5 slots in use").waitFor()
    const line = (name: string) =>
      workers
        .getByRole("listitem")
        .filter({ has: page.locator(`strong:text-is("${name}")`) })
        .last()
    await line("left hand").getByText("1 of 2 slots in use").waitFor()
    await line("left hand").getByText("gpu").waitFor()
    await line("left hand").getByText(`process ${left.pid}`).waitFor()
    await line("left hand").getByRole("link", { name: /^run_/ }).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    right.kill("SIGKILL")
    await line("right hand").locator("[data-status=LOST]").waitFor()
    await line("right hand")
      .getByText(/^no sign for .*: what it was at is handed to others$/)
      .waitFor()
    await workers.getByText("1 worker, 1 of 2 slots in use").waitFor()
    assert.deepStrictEqual(await violations(page), [])
    const told = await proofline(["status", "--workers"], dir, env)
    assert.match(
      told.stdout,
      new RegExp(`^left hand  on ${hostname()}, process ${left.pid}; 1 of 2 slots in use; labels gpu`, "m")
    )
    assert.match(
      told.stdout,
      new RegExp(`^right hand  on ${hostname()}, process ${right.pid}; LOST, no sign for \\d+ s`, "m")
    )
    await workers.getByRole("link", { name: "a", exact: true }).click()
    await page.waitForURL(/\/tasks\/a/)
    await shown(page, `on left hand/1 (${hostname()})`)
    await page.goto(page.url().replace(/\/tasks\/a.*$/, "/timeline"))
    await page.getByRole("group", { name: `left hand/1 (${hostname()}), 1 attempt` }).waitFor()
    left.kill("SIGINT")
    await page.goto(`${server.url}/#/`)
    await shown(page, "shared")
    await line("left hand").waitFor({ state: "detached" })
  })
})
