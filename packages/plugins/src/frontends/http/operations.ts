import { Engine } from "@proofline/kernel"
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { bearerOf } from "../../http/guard.ts"
import { makeCaller, operationsOf } from "../../operations/index.ts"
import { Api } from "./api.ts"
import { asJson, ofAnswer, operationUnknown } from "./refusals.ts"

/** Whether the answer of a person may come in an operation. */
export class FromPerson extends Context.Service<FromPerson, boolean>()(
  "@proofline/plugins/frontends/http/FromPerson"
) {}

export const operationsHandlers = HttpApiBuilder.group(Api, "operations", (handlers) =>
  Effect.gen(function* () {
    const { composition } = yield* Engine
    const known = operationsOf(composition)
    const isPerson = yield* FromPerson
    const services = yield* Effect.context<Effect.Services<ReturnType<typeof makeCaller>>>()
    const oneRequest = { agent: null, ttlMs: 0, isPerson, isBrief: true }
    return handlers.handleAll({
      call: Effect.fnUntraced(function* ({ params: { name }, payload }) {
        const operation = known.find((one) => one.name === name)
        if (operation === undefined) {
          return yield* Effect.fail(
            operationUnknown(
              name,
              known.map((one) => one.name)
            )
          )
        }
        const bearer = bearerOf(yield* HttpServerRequest.HttpServerRequest)
        const caller = yield* Effect.provide(makeCaller({ ...oneRequest, ...bearer }), services)
        const answer = yield* caller.call(operation, payload, undefined)
        return answer.ok ? asJson(answer.body) : yield* Effect.fail(ofAnswer(answer))
      })
    })
  })
)
