/** DBOS: workflows whose steps are recorded in Postgres, streams that they write, and queues of workflows. */
import { DBOS } from "@dbos-inc/dbos-sdk"
import { type Parts, payload, serve, slots, writers } from "../contract.ts"

const write = DBOS.registerWorkflow(
  async (n: number) => {
    for (let i = 0; i < n; i++) await DBOS.writeStream("events", payload(i))
  },
  { name: "write" }
)

const chain = DBOS.registerWorkflow(
  async (n: number) => {
    for (let i = 0; i < n; i++) await DBOS.runStep(async () => payload(i), { name: "step" })
  },
  { name: "chain" }
)

const part = DBOS.registerWorkflow(async (n: number) => DBOS.runStep(async () => payload(n), { name: "part" }), {
  name: "part"
})

/** All parts are dispatched, then waited for. */
const fan = DBOS.registerWorkflow(
  async (n: number) => {
    const numbers = Array.from({ length: n }, (_, i) => i)
    const handles = await Promise.all(numbers.map((i) => DBOS.startWorkflow(part, { queueName: "parts" })(i)))
    for (const handle of handles) await handle.getResult()
  },
  { name: "fan" }
)

const launch = async (url: string) => {
  DBOS.setConfig({ name: "peers", systemDatabaseUrl: url, logLevel: "error" })
  await DBOS.launch()
  // it looks once a second by default
  await DBOS.registerQueue("parts", { workerConcurrency: slots, minPollingIntervalMs: 10 })
}

const running = (workflow: (n: number) => Promise<unknown>, atOnce: number) => async (url: string) => {
  await launch(url)
  return {
    times: (n: number) => Promise.all(Array.from({ length: atOnce }, () => workflow(Math.ceil(n / atOnce)))),
    close: () => DBOS.shutdown()
  }
}

const parts: Parts = {
  append: running(write, 1),
  append32: running(write, writers),
  step: running(chain, 1),
  subtasks: running(fan, 1)
}

await serve(parts)
