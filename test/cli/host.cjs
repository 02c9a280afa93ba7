// The program, kept between calls: to start it takes longer than most of what it is asked for. It runs what is built,
// in a process of its own, one call after the other; all that a call leaves behind in the process is taken back.
"use strict"

const { Readable } = require("node:stream")
const { start } = require("../../packages/cli/dist/app.cjs")

const exit = process.exit.bind(process)
const stdin = Object.getOwnPropertyDescriptor(process, "stdin")
const own = globalThis.console
const streams = { stdout: process.stdout.write, stderr: process.stderr.write }

process.on("disconnect", () => exit(0))
process.on("message", ({ args, cwd, env, input }) => {
  const printed = { stdout: "", stderr: "" }
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => [signal, process.listeners(signal)])
  for (const name of Object.keys(streams)) {
    process[name].removeAllListeners("error")
    process[name].write = (chunk, encoding, done) => {
      printed[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()
      const taken = typeof encoding === "function" ? encoding : done
      if (taken) process.nextTick(taken)
      return true
    }
  }
  if (input !== null) {
    Object.defineProperty(process, "stdin", { ...stdin, get: () => Readable.from([Buffer.from(input, "base64")]) })
  }
  process.exit = (code) => {
    process.exit = exit
    globalThis.console = own
    Object.defineProperty(process, "stdin", stdin)
    for (const [name, write] of Object.entries(streams)) process[name].write = write
    for (const [signal, before] of signals) {
      for (const listener of process.listeners(signal)) {
        if (!before.includes(listener)) process.off(signal, listener)
      }
    }
    process.send({ code, ...printed })
  }
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  start(args)
})
