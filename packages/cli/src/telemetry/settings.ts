import type { Problem } from "../base/problems.ts"

export interface TelemetrySettings {
  /** Whether anything is sent. */
  readonly isOn: boolean
  /** The environment as the exporter reads it. */
  readonly env: Readonly<Record<string, string>>
  /** Why nothing is sent although somebody asked for it. */
  readonly problems: ReadonlyArray<Problem>
}

type Environment = Readonly<Record<string, string | undefined>>

const signals = ["TRACES", "METRICS", "LOGS"] as const
type Signal = (typeof signals)[number]

const off: TelemetrySettings = { isOn: false, env: {}, problems: [] }

/** Whether a command is told to a collector: `status` is asked often, and waits for none. */
export const isTraced = (command: string | undefined): boolean => command !== "status"

/**
 * What the standard variables of OpenTelemetry say. Off, unless one of them names where to send to, or the exporter
 * `otlp`. The program's log is sent only where `OTEL_LOGS_EXPORTER` asks for it: it is for people.
 */
export const telemetrySettings = (given: Environment): TelemetrySettings => {
  const env = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      name.startsWith("OTEL_") && value !== undefined && value.trim() !== "" ? [[name, value.trim()] as const] : []
    )
  )
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return off
  const isSent = (signal: Signal) => {
    const named = exportersOf(env, signal)
    const isAddressed = endpointName(env, signal) !== null
    return named === null ? isAddressed && signal !== "LOGS" : named.includes("otlp")
  }
  const sent = signals.filter(isSent)
  if (sent.length === 0) return off
  const problems = sent.flatMap((signal) => [...endpointProblem(env, signal), ...protocolProblem(env, signal)])
  const unique = [...new Map(problems.map((problem) => [problem.message, problem])).values()]
  if (unique.length > 0) return { ...off, problems: unique }
  return {
    isOn: true,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318",
      ...env,
      ...Object.fromEntries(
        signals.map((signal) => [`OTEL_${signal}_EXPORTER`, sent.includes(signal) ? "otlp" : "none"])
      )
    },
    problems: []
  }
}

/** Null: it is not said. */
const exportersOf = (env: Environment, signal: Signal): ReadonlyArray<string> | null =>
  env[`OTEL_${signal}_EXPORTER`]?.split(",").map((name) => name.trim().toLowerCase()) ?? null

const endpointName = (env: Environment, signal: Signal): string | null =>
  [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, "OTEL_EXPORTER_OTLP_ENDPOINT"].find((name) => env[name] !== undefined) ??
  null

const endpointProblem = (env: Environment, signal: Signal): ReadonlyArray<Problem> => {
  const name = endpointName(env, signal)
  if (name === null || /^https?:$/.test(URL.parse(env[name] ?? "")?.protocol ?? "")) return []
  return [unusable(`${name} is no address that begins with http:// or https://.`)]
}

const protocols = ["http/json", "http/protobuf"]

/** Of all signals, or of one. */
export const protocolOf = (env: Environment, signal: Signal = "TRACES"): string =>
  env[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] ?? env["OTEL_EXPORTER_OTLP_PROTOCOL"] ?? "http/protobuf"

const protocolProblem = (env: Environment, signal: Signal): ReadonlyArray<Problem> => {
  const protocol = protocolOf(env, signal)
  return protocols.includes(protocol)
    ? []
    : [unusable(`The OTLP protocol "${protocol}" is not spoken here: ${protocols.join(" and ")} are.`)]
}

/** Telemetry that cannot be sent is said once, and holds nothing up. */
export const unusable = (message: string): Problem => ({
  code: "telemetry_off",
  message: `No telemetry is sent: ${message}`,
  hint: "Correct the variables of OpenTelemetry in the environment, or set OTEL_SDK_DISABLED=true. `proofline docs telemetry` says which are read."
})
