// A worker in a process of its own, whose agents are scripted: every attempt takes as long as it is told.
import { Worker } from "@proofline/kernel"
import { Effect } from "effect"
import { clusterProcess, sleeping } from "./engine.ts"

const [, , url = "", name = "", slots = "1", ms = "0", failing = "0"] = process.argv

const working = Effect.flatMap(Worker, (worker) => worker.run({ workerId: name, slots: Number(slots), labels: [] }))

process.stdout.write("ready\n")
Effect.runPromise(Effect.provide(working, clusterProcess(url, sleeping(Number(ms), Number(failing))))).catch(
  (error) => {
    process.stderr.write(`${error}\n`)
    process.exit(1)
  }
)
