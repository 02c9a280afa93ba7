import { createServer, type IncomingMessage, request as nodeRequest } from "node:http"
import { join } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import {
  composePlugins,
  Engine,
  EventLog,
  foldReceipts,
  makeManifest,
  noReceipts,
  type Plugin,
  Runner,
  type RunSummary,
  receiptsOf,
  rejectConflict,
  type TaskSpec,
  Worker
} from "@proofline/kernel"
import { aRun, aTask, type Script, scripted } from "@proofline/kernel/testing"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { runOverviews } from "@proofline/plugins/adapters/sqlite-log/summary"
import {
  Events,
  type EventsOptions,
  guard,
  isOpen,
  layerPage,
  makeLayerApi,
  NotDone,
  Project,
  routerConfig
} from "@proofline/plugins/frontends/http"
import { makeClient } from "@proofline/plugins/frontends/http/client"
import { Sessions, sessionSummary } from "@proofline/plugins/policies/sessions"
import { sessionsRules } from "@proofline/plugins/policies/sessions/rules"
import { BlobStore } from "@proofline/plugins/ports"
import { Context, Effect, Layer, Stream } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { judge } from "../../kernel/support/judge.ts"
import { digest } from "../../kernel/support/recorded.ts"
import { countedIds } from "../../kernel/support/world.ts"
import { type Answering, scripted as scriptedSessions } from "../frontends/scriptedSessions.ts"
import { room } from "../repositories.ts"
import { aContract, aPhase, aSessionRun, phases, to } from "../sessions/rules/playing.ts"

export const operatorToken = "operator-operator-operator-operator"

export interface Response {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly bytes: Buffer
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a client sees is looked into
  readonly json: any
}

export interface Wanted {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string | ReadonlyArray<string>
}

/** An empty directory, gone with the scope. */
export const directory = room("proofline-http-")

export interface StageOptions {
  readonly events?: EventsOptions
  readonly rate?: { readonly perSecond: number; readonly burst: number }
  readonly page?: string
  readonly plugins?: ReadonlyArray<Plugin>
  readonly project?: Partial<Project["Service"]>
  /** The log as the front-end has it. */
  readonly around?: (log: EventLog["Service"]) => EventLog["Service"]
  /** Where the log is; a new one when left out. */
  readonly root?: string
  /** What operations answer; nobody does when left out. */
  readonly answering?: Answering
  /** The answer of a person may come in an operation. */
  readonly isPerson?: boolean
  /** Whose a token is that is not the operator's. */
  readonly authenticate?: Sessions["Service"]["authenticate"]
}

/** What every attempt of a run does unless the test says otherwise: it shows its first item and skips the others. */
const proves: Script = (task) =>
  Effect.succeed({
    outcome: "COMPLETE",
    checklist: {
      summary: `did ${task}`,
      checklist: [{ item: "it works", status: "done", evidence: "src/a.ts:1-2", reason: null }],
      problems: []
    }
  })

/** The API over a log in SQLite and an engine, on a real port. */
export const staged = Effect.fnUntraced(function* (options: StageOptions = {}) {
  const root = options.root ?? (yield* directory)
  const file = join(root, "log.sqlite")
  const storage = Layer.mergeAll(
    sqliteLog({ file, summarizers: [sessionSummary] }),
    fileBlobs({ directory: join(root, "blobs") })
  ).pipe(Layer.provideMerge(nodeDigest))
  const kernel = yield* Layer.build(
    Layer.fresh(
      Runner.layer.pipe(
        Layer.provideMerge(Worker.layer),
        Layer.provideMerge(
          Engine.layer(composePlugins([...(options.plugins ?? [scripted(proves), judge]), sessionsRules]))
        ),
        Layer.provideMerge(storage),
        Layer.provideMerge(countedIds(""))
      )
    )
  )
  const log = Context.get(kernel, EventLog)
  const engine = Context.get(kernel, Engine)
  const runner = Context.get(kernel, Runner)
  const runs = Effect.sync((): ReadonlyArray<RunSummary> => runOverviews(file))

  const { context: node, port } = yield* Effect.map(
    Layer.build(
      NodeHttpServer.layer(() => createServer({ keepAliveTimeout: 1_000 }), {
        port: 0,
        host: "127.0.0.1",
        gracefulShutdownTimeout: "10 seconds"
      })
    ),
    (context) => {
      const { address } = Context.get(context, HttpServer.HttpServer)
      return { context, port: "port" in address ? address.port : 0 }
    }
  )
  const url = `http://127.0.0.1:${port}`
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  const project = Layer.succeed(Project, {
    name: "proofline",
    version: "1.2.3",
    root,
    agents: ["claude-code"],
    runs,
    inputs: Effect.succeed([{ path: "tasks.yaml", kind: "tasks" as const, bytes: 10 }]),
    start: () => Effect.fail(new NotDone({ kind: "invalid", problems: [fault] })),
    resume: () => Effect.fail(new NotDone({ kind: "conflict", problems: [{ ...fault, code: "run_is_driven" }] })),
    verify: (run) => Effect.fail(rejectConflict("log_changed", `The log of ${run} was changed.`, "Restore it.")),
    receipts: (run) =>
      log.read(run).pipe(
        Stream.runFold(
          () => noReceipts(engine.composition),
          (fold, event) =>
            foldReceipts(
              engine.composition,
              fold,
              event,
              manifest.types.has(event.event_type) ? manifest.decode(event, () => fold.snapshot) : null
            )
        ),
        Effect.map((fold) => receiptsOf(fold, digest.sha256))
      ),
    report: () => Effect.fail(new NotDone({ kind: "unknown", problems: [fault] })),
    changes: () => Effect.succeed(null),
    citedLines: () => Effect.succeed({ cited: null, was: null, now: null }),
    evidenceNow: () =>
      Effect.succeed({
        status: "proven" as const,
        now: { path: "src/a.ts", start: 1, end: 2 },
        reason: "",
        accepted: null,
        current: null
      }),
    liveOutput: () => Effect.succeed(null),
    isDriven: () => Effect.succeed(false),
    ...options.project
  })
  const { layer: scriptedLayer } = scriptedSessions(options.answering ?? (() => Effect.die("Nobody works here.")))
  const sessions = Layer.merge(
    scriptedLayer,
    Layer.effect(
      Sessions,
      Effect.map(Sessions, (service) => ({
        ...service,
        ...(options.authenticate === undefined ? {} : { authenticate: options.authenticate })
      }))
    ).pipe(Layer.provide(scriptedLayer))
  )
  const served = yield* Layer.build(
    HttpRouter.serve(
      Layer.mergeAll(
        makeLayerApi({ ...options.events, isPerson: options.isPerson ?? false }),
        layerPage({ directory: options.page ?? join(root, "none"), decompress: brotliDecompressSync })
      ).pipe(
        Layer.provide(
          guard({
            hosts,
            origins: hosts.map((host) => `http://${host}`),
            operatorToken,
            isOpen,
            ...(options.rate === undefined ? {} : { rate: options.rate })
          })
        ),
        Layer.provide([sessions, project])
      ),
      { disableLogger: true, disableListenLog: true, routerConfig }
    )
  ).pipe(Effect.provide(node), Effect.provide(Context.add(kernel, EventLog, options.around?.(log) ?? log)))
  const events = Context.get(served, Events)
  yield* Effect.addFinalizer(() => events.close)

  const send = (path: string, { body, headers = {}, method = "GET" }: Wanted = {}) =>
    Effect.callback<Response, Error>((resume) => {
      const given = Object.entries({ authorization: `Bearer ${operatorToken}`, ...headers }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined
      )
      const request = nodeRequest({ host: "127.0.0.1", port, path, method, headers: Object.fromEntries(given) })
      request.on("error", (error) => resume(Effect.fail(error)))
      request.on("response", (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk) => chunks.push(chunk))
        response.on("end", () => resume(Effect.succeed(responseOf(response, Buffer.concat(chunks)))))
      })
      for (const part of typeof body === "string" ? [body] : (body ?? [])) request.write(part)
      request.end()
      return Effect.sync(() => request.destroy())
    })
  const post = (path: string, body: unknown = {}) =>
    send(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })

  /** A run of these tasks to its end, by the script of the stage. */
  const drive = (id: string, tasks: ReadonlyArray<TaskSpec>) =>
    runner
      .drive(
        id,
        { ...aRun(tasks, { retry_delay_ms: 0 }, id), name: `run ${id}` },
        { workerId: "w", slots: 2, labels: [] }
      )
      .pipe(Effect.orDie)
  const begin = (id: string, tasks: ReadonlyArray<TaskSpec> = [aTask("a")], parent: string | null = null) =>
    engine.execute(id, { ...aRun(tasks, {}, id), parent_run_id: parent })

  return {
    root,
    file,
    port,
    url,
    log,
    engine,
    blobs: Context.get(kernel, BlobStore),
    events,
    send,
    post,
    drive,
    begin,
    client: yield* makeClient({ url, token: () => operatorToken })
  }
})

const manifest = makeManifest(composePlugins([judge]))

const fault = {
  code: "task_dependency_unknown",
  message: "Task b depends on c, which there is not.",
  file: "tasks.yaml",
  line: 7,
  column: 3,
  hint: "Add it."
}

/** A session run that asks a person right away. */
export const asking = (run_id: string, answers: ReadonlyArray<string> = ["yes", "no"]) => ({
  ...aSessionRun({
    contract: aContract({
      start: [to("ASKED")],
      phases: {
        ...phases,
        ASKED: aPhase({
          kind: "person",
          instruction: "Go on?",
          expected_payload: { answer: answers.join("|"), "comment?": "str" },
          transitions: answers.map((answer, i) =>
            to(i === 0 ? "EXPLORATION" : "STOPPED", { when: { payload: { answer } } })
          )
        })
      }
    })
  }),
  run_id
})

const responseOf = (response: IncomingMessage, bytes: Buffer): Response => {
  const text = bytes.toString("utf8")
  let json: unknown = null
  try {
    json = JSON.parse(text)
  } catch {}
  return { status: response.statusCode ?? 0, headers: response.headers, bytes, text, json }
}

export interface SseEvent {
  readonly id: number
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: what a client sees is looked into
  readonly data: any
}

/** A client of a stream: what came, and a way to wait for it. */
export const listen = Effect.fnUntraced(function* (
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {}
) {
  const events: Array<SseEvent> = []
  const comments: Array<string> = []
  const waiting = new Set<() => void>()
  let isOver = false
  let rest = ""
  const look = () => {
    for (const one of [...waiting]) one()
  }
  const opened = yield* Effect.acquireRelease(
    Effect.callback<{ readonly response: IncomingMessage; readonly close: () => void }>((resume) => {
      const request = nodeRequest({
        host: "127.0.0.1",
        port,
        path,
        headers: { authorization: `Bearer ${operatorToken}`, accept: "text/event-stream", ...headers },
        agent: false
      })
      request.on("error", () => {
        isOver = true
        look()
      })
      request.on("response", (response) => {
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          rest += chunk
          const blocks = rest.split("\n\n")
          rest = blocks.pop() ?? ""
          for (const block of blocks) {
            if (block.startsWith(":")) comments.push(block.slice(2))
            else events.push(eventOf(block))
          }
          look()
        })
        response.on("close", () => {
          isOver = true
          look()
        })
        resume(Effect.succeed({ response, close: () => request.destroy() }))
      })
      request.end()
    }),
    ({ close }) => Effect.sync(close)
  )
  const until = (isThere: () => boolean) =>
    Effect.callback<void>((resume) => {
      const check = () => {
        if (!isThere()) return
        waiting.delete(check)
        resume(Effect.void)
      }
      waiting.add(check)
      check()
      return Effect.sync(() => waiting.delete(check))
    })
  return {
    ...opened,
    events,
    comments,
    until,
    ids: () => events.map(({ id }) => id),
    /** So many events have come. */
    count: (n: number) => until(() => events.length >= n),
    caughtUp: until(() => comments.includes("caught-up")),
    over: until(() => isOver)
  }
})

const eventOf = (block: string): SseEvent => {
  const fields = new Map(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)])
  )
  return {
    id: Number(fields.get("id")),
    event: fields.get("event") ?? "",
    data: JSON.parse(fields.get("data") ?? "null")
  }
}
