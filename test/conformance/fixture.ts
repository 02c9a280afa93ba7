import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { guard, layerHttp, layerStdio } from "@proofline/plugins/frontends/mcp"
import { Context, Effect, Layer, Logger } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { projectPaths } from "../../packages/cli/src/base/paths.ts"
import { withStorage } from "../../packages/cli/src/project/storage.ts"
import { withKernel } from "../../packages/cli/src/project/withKernel.ts"
import { serverSetup } from "../../packages/cli/src/serving/server.ts"
import { fixtureTexts } from "./fixtureTexts.ts"
import { fixtureTools } from "./fixtureTools.ts"

/**
 * A program: what `proofline serve` serves in its working directory, or with `--stdio` what `proofline mcp` serves there, and
 * the tools, resources and prompts that the conformance suite asks every server for. Over HTTP the first line says where, and
 * with which token.
 */

const token = "the-operator-of-the-conformance-fixture"
const paths = projectPaths(process.cwd())

const serving = Effect.gen(function* () {
  const { answering, caller, shown } = yield* serverSetup(paths, { flag: [], approvals: false })
  const server = {
    name: "proofline",
    version: "0.0.0",
    ...caller,
    shown,
    more: Layer.merge(fixtureTools, fixtureTexts)
  }
  const piped = Layer.launch(
    layerStdio({ ...server, token: null }).pipe(Layer.provide(answering), Layer.provide(NodeStdio.layer))
  )
  const listening = Effect.gen(function* () {
    const context = yield* Layer.build(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
    const { address } = Context.get(context, HttpServer.HttpServer)
    const host = `127.0.0.1:${"port" in address ? address.port : ""}`
    const origins = [`http://${host}`]
    const routes = layerHttp({ ...server, path: "/mcp", origins }).pipe(
      Layer.provide(guard({ hosts: [host], origins, operatorToken: token })),
      Layer.provide(answering)
    )
    yield* Layer.build(HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true })).pipe(
      Effect.provide(context)
    )
    process.stdout.write(`${JSON.stringify({ url: `http://${host}`, token })}\n`)
    return yield* Effect.never
  })
  const isPiped = process.argv.includes("--stdio")
  return yield* withStorage(paths, withKernel(paths, {}, isPiped ? piped : listening))
})

NodeRuntime.runMain(Effect.scoped(serving).pipe(Effect.provideService(Logger.LogToStderr, true)))
