import { type BlobRef, BlobStore, taskRowsOf, taskViewOf } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./api.ts"
import { Lookup } from "./lookup.ts"
import { Project } from "./Project.ts"
import { cursorInvalid, cursorOf, readCursor, usualLimit } from "./pages.ts"
import { pieceOf } from "./pieces.ts"
import { Conflicting } from "./problems.ts"
import { attemptUnknown, blobMissing, itemUnknown, logUnavailable, taskUnknown } from "./refusals.ts"
import type { TextView } from "./schemas.ts"

interface TaskOf {
  readonly run: string
  readonly task: string
}

export const tasksHandlers = HttpApiBuilder.group(Api, "tasks", (handlers) =>
  Effect.gen(function* () {
    const blobs = yield* BlobStore
    const lookup = yield* Lookup
    const project = yield* Project

    const taskIn = Effect.fnUntraced(function* ({ run, task }: TaskOf) {
      const { history, state } = yield* lookup.detail(run)
      return taskViewOf(state, history, task) ?? (yield* Effect.fail(taskUnknown(run, task)))
    })

    const attemptIn = Effect.fnUntraced(function* (asked: TaskOf & { readonly attempt: number }) {
      const { history } = yield* taskIn(asked)
      const found = history.find(({ attempt }) => attempt === asked.attempt)
      return found ?? (yield* Effect.fail(attemptUnknown(asked.task, asked.attempt, history.length)))
    })

    const blob = (ref: BlobRef, from: number) =>
      blobs.get(ref.sha256).pipe(
        Effect.map((bytes) => pieceOf(bytes, from)),
        Effect.catchTags({
          BlobMissing: ({ sha256 }) => Effect.fail(blobMissing(sha256)),
          LogUnavailable: (error) => Effect.fail(logUnavailable(error))
        })
      )

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ params, query: { cursor, limit = usualLimit } }) {
        const { history, state } = yield* lookup.detail(params.run)
        const rows = taskRowsOf(state, history)
        const after = yield* readCursor("tasks", Schema.Tuple([Schema.String]), cursor)
        // parts may be added before it: it is found by its name
        const index = after === undefined ? 0 : rows.findIndex(({ task_id }) => task_id === after[0]) + 1
        if (after !== undefined && index === 0) return yield* Effect.fail(cursorInvalid)
        const tasks = rows.slice(index, index + limit)
        const last = index + limit < rows.length ? tasks.at(-1) : undefined
        return { tasks, next_cursor: last === undefined ? null : cursorOf("tasks", last.task_id) }
      }),
      get: ({ params }) => taskIn(params),
      attempts: ({ params }) => Effect.map(taskIn(params), ({ history }) => ({ attempts: history })),
      attempt: ({ params }) => attemptIn(params),
      prompt: ({ params, query }) =>
        Effect.flatMap(attemptIn(params), ({ prompt }) =>
          prompt === null ? Effect.succeed(nothing) : blob(prompt, query.from ?? 0)
        ),
      output: Effect.fnUntraced(function* ({ params, query: { from = 0, stream = "stdout" } }) {
        const attempt = yield* attemptIn(params)
        const kept = attempt[stream]
        if (kept !== null) return yield* blob(kept, from)
        const { run: run_id, task: task_id } = params
        const live = yield* project.liveOutput({ run_id, task_id, attempt: attempt.attempt }, stream, from)
        return live ?? nothing
      }),
      checklist: ({ params }) => Effect.map(taskIn(params), ({ checklist }) => ({ checklist })),
      evidence: Effect.fnUntraced(function* ({ params }) {
        const { checklist, task_id } = yield* taskIn(params)
        const item = checklist[params.index]
        if (item === undefined) return yield* Effect.fail(itemUnknown(task_id, params.index, checklist.length))
        const { receipt } = item
        if (item.verdict !== "proven" || receipt === null)
          return yield* Effect.fail(notProven(item.index, item.verdict))
        return {
          task_id,
          index: item.index,
          item: item.item,
          evidence: item.evidence ?? "",
          receipt,
          weak: item.weak.map(({ message }) => message),
          ...(yield* Effect.mapError(project.look(receipt), logUnavailable))
        }
      })
    })
  })
)

const nothing: TextView = { from: 0, next: 0, total: 0, text: "", is_live: false }

const notProven = (index: number, verdict: string) =>
  new Conflicting({
    code: "not_proven",
    detail: `Item ${index} is ${verdict}: nothing was accepted for it.`,
    hint: "Its attempts say what was claimed and why it was refused."
  })
