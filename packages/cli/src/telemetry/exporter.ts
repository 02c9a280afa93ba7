import { noStackTrace } from "@proofline/kernel"
import { Cause, ConfigProvider, Effect, Exit, Layer, Option, type Tracer } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Otlp from "effect/observability/Otlp"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import { version } from "../base/version.ts"
import { ending } from "../process/handle.ts"
import { sayProblems } from "../process/output.ts"
import { protocolOf, type TelemetrySettings, unusable } from "./settings.ts"

/** Sends what is measured and traced over OTLP, as the environment says; what is left at the end of the scope too. */
const exporter = ({ env }: TelemetrySettings) =>
  Otlp.layerFromConfig().pipe(
    Layer.provide(protocolOf(env) === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(
      ConfigProvider.layer(
        ConfigProvider.fromEnv({
          env: {
            OTEL_SERVICE_VERSION: version,
            ...(namesService(env) ? {} : { OTEL_SERVICE_NAME: "proofline" }),
            ...env
          }
        })
      )
    )
  )

const namesService = ({ OTEL_RESOURCE_ATTRIBUTES = "" }: TelemetrySettings["env"]): boolean =>
  /(?:^|,)\s*service\.name\s*=/.test(OTEL_RESOURCE_ATTRIBUTES)

/** The span of whoever started this process, as the environment names it (W3C Trace Context). */
const parentOf = (traceparent: string | undefined) =>
  traceparent === undefined
    ? {}
    : Option.match(HttpTraceContext.fromHeaders(Headers.fromInput({ traceparent })), {
        onNone: () => ({}),
        onSome: (parent: Tracer.AnySpan) => ({ parent })
      })

/**
 * A whole command as one trace. Telemetry never decides anything: where it cannot be sent, that is said and the command
 * goes on without.
 */
export const traced = <A, E, R>(
  settings: TelemetrySettings,
  command: string,
  traceparent: string | undefined,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const built = yield* Effect.exit(Layer.build(exporter(settings)))
      if (Exit.isFailure(built)) {
        const [why = "its settings cannot be read"] = String(Cause.squash(built.cause)).split("\n")
        yield* sayProblems([unusable(why)], "warning")
        return yield* effect
      }
      const spanned = effect.pipe(
        Effect.tap(() => Effect.annotateCurrentSpan("process.exit.code", ending.code)),
        Effect.withSpan(
          `proofline ${command}`.trim(),
          { attributes: { command }, ...parentOf(traceparent) },
          noStackTrace
        )
      )
      return yield* Effect.provide(spanned, built.value)
    })
  ) as Effect.Effect<A, E, R>
