import { Digest } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { BlobStore } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { logName, type ProjectPaths, type Where } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { version } from "../base/version.ts"
import { lookAtAgentFiles } from "../doctor/agentFiles.ts"
import { lookAtAgents } from "../doctor/agents.ts"
import { lookAtClients } from "../doctor/clients.ts"
import { lookAtDatabase } from "../doctor/database.ts"
import type { Finding } from "../doctor/Finding.ts"
import { lookAtLeft } from "../doctor/left.ts"
import { blobsIn, type LogState, lookAtBlobs, lookAtGone, lookAtLog } from "../doctor/log.ts"
import { lookAtPlugins } from "../doctor/plugins.ts"
import { lookAtProgram } from "../doctor/program.ts"
import { lookAtUnfinished, repair } from "../doctor/repair.ts"
import { lookAtRepository } from "../doctor/repository.ts"
import { lookAtSettings } from "../doctor/settings.ts"
import { isNoFile, lookAtState } from "../doctor/state.ts"
import { lookAtUnnamed } from "../doctor/unnamed.ts"
import { lookAtVariables } from "../doctor/variables.ts"
import { lookAtChecks, lookAtVerifiers } from "../doctor/verifiers.ts"
import { checks, doctorDocument } from "../documents/doctor.ts"
import { print, printDocument } from "../process/output.ts"
import { existingProject } from "../project/files.ts"
import { blobsOf } from "../project/storage.ts"
import { doctorText } from "../render/doctor.ts"
import { styleFor, wantsColor } from "../render/style.ts"

export interface DoctorOptions extends Where {
  readonly fix: boolean
  readonly repair: boolean
  readonly out?: string | undefined
  readonly json: boolean
}

type Data = typeof doctorDocument.data.Type

type Check = (typeof checks)[number]
type Findings = Partial<Record<Check, ReadonlyArray<Finding>>>

/**
 * `proofline doctor`: what keeps this project from working here, what is damaged, and what of the log can still be read.
 * Changes nothing; `--fix` does what loses nothing, `--repair` writes a new log.
 */
export const doctor = Effect.fnUntraced(
  function* (options: DoctorOptions) {
    const paths = yield* existingProject(options)
    const isFile = paths.databaseUrl === undefined
    if (!isFile && options.repair) return yield* notHere
    if (options.out !== undefined && !options.repair) return yield* outAlone
    const { sha256 } = yield* Digest
    const around = yield* lookAround(paths)
    const isReadable = isFile && !isNoFile(paths)
    const log = isReadable ? yield* lookAtLog(paths, sha256) : null
    const gone = isReadable && log === null ? yield* lookAtGone(paths) : null
    const stored = isFile ? yield* lookAtStored(paths, log) : { blobs: 0, findings: [], unnamed: 0 }
    const unnamed = isReadable && gone === null ? lookAtUnnamed(paths, log, stored.unnamed) : []
    const found: Findings = {
      ...around.found,
      state: [
        ...(isFile ? yield* lookAtState(paths, gone !== null || unnamed.length > 0) : []),
        ...(isFile ? yield* lookAtUnfinished(paths, options.out) : []),
        ...(isReadable ? yield* lookAtLeft(paths) : [])
      ],
      log: isFile ? [...((log ?? gone)?.findings ?? []), ...unnamed] : yield* lookAtDatabase(paths),
      blobs: stored.findings
    }
    const isBroken = found.log?.some(({ severity }) => severity === "error")
    const findings = yield* Effect.forEach(
      checks.flatMap((check) => (found[check] ?? []).map((finding) => [check, finding] as const)),
      ([check, finding]) => told(check, finding, options)
    )
    const data: Data = {
      log: logName(paths),
      programs: { proofline: version, node: process.versions.node, git: around.git },
      healthy: findings.every(isHarmless),
      checks: checks.filter((check) => isFile || check !== "blobs"),
      findings,
      runs: (log ?? gone)?.runs ?? [],
      blobs: stored.blobs,
      repair: options.repair && isBroken && log !== null ? yield* repair(paths, log, options.out, sha256) : null
    }
    yield* options.json
      ? printDocument(doctorDocument, data)
      : print(doctorText(data, options, styleFor(wantsColor(process.stdout))))
    return exitCodeOf(data, isFile)
  },
  (effect) => Effect.provide(Effect.scoped(effect), nodeDigest)
)

const isHarmless = ({ fixed, severity }: Data["findings"][number]): boolean => fixed || severity !== "error"

/** What is damaged stands before what does not work. */
const exitCodeOf = ({ findings, healthy }: Data, isFile: boolean): number => {
  if (healthy) return exitCodes.proven
  const isDamaged = findings.some((one) => !isHarmless(one) && isFile && (one.check === "log" || one.check === "blobs"))
  return isDamaged ? exitCodes.integrity : exitCodes.unmet
}

/** All that is not the log itself, at once: programs are waited for. */
const lookAround = Effect.fnUntraced(function* (paths: ProjectPaths) {
  const { findings: settings, read } = yield* lookAtSettings(paths)
  const { config } = read
  const [repository, program, plugins, agents, verifiers, clients] = yield* Effect.all(
    [
      lookAtRepository(paths),
      lookAtProgram(paths.root),
      config === null ? Effect.succeed([]) : lookAtPlugins(config, paths, settings),
      config === null ? Effect.succeed([]) : lookAtAgents(config, paths),
      config === null
        ? lookAtChecks(paths)
        : Effect.zipWith(lookAtVerifiers(config, paths), lookAtChecks(paths), (one, other) => [...one, ...other]),
      Effect.zipWith(lookAtClients(paths), lookAtAgentFiles(paths), (one, other) => [...one, ...other])
    ],
    { concurrency: "unbounded" }
  )
  const found: Findings = {
    ...{ settings, program, plugins, agents, verifiers, clients },
    git: repository.findings,
    variables: lookAtVariables(process.env)
  }
  return { found, git: repository.git?.version ?? null }
})

/** The blobs of the project, and those that the log names. */
const lookAtStored = Effect.fnUntraced(function* (paths: ProjectPaths, log: LogState | null) {
  const place = paths.blobStore ?? paths.blobs
  const store = yield* Effect.provide(BlobStore, Layer.provide(blobsOf(paths), nodeDigest))
  const named = log?.blobs ?? new Map<string, string>()
  const ofLog = yield* lookAtBlobs(store, named, place)
  const others = new Map([...ofLog.within].filter(([name]) => !named.has(name)))
  const unnamed = (place.includes("://") ? [] : blobsIn(place)).filter((name) => !named.has(name) && !others.has(name))
  for (const name of unnamed) others.set(name, null)
  const { findings } = yield* lookAtBlobs(store, others, place)
  return {
    blobs: named.size + others.size,
    findings: [...ofLog.findings, ...findings],
    // other projects may keep theirs in the same store, and a base that is gone may have named some
    unnamed: paths.blobStore === undefined && ofLog.findings.length === 0 ? unnamed.length : 0
  }
})

/** A finding as it is told, once what can be done about it is done where that was asked for. */
const told = (
  check: Check,
  { mend, ...finding }: Finding,
  options: DoctorOptions
): Effect.Effect<Data["findings"][number]> => {
  const fixable = mend !== undefined
  const isAsked = options.fix || (options.repair && finding.code === "repair_unfinished")
  return mend === undefined || !isAsked
    ? Effect.succeed({ check, ...finding, fixable, fixed: false })
    : Effect.match(mend, {
        onSuccess: () => ({ check, ...finding, fixable, fixed: true }),
        onFailure: (why) => ({
          check,
          ...finding,
          message: `${finding.message} It could not be fixed: ${why.replace(/\.?$/, ".")}`,
          fixable,
          fixed: false
        })
      })
}

const notHere = stop(exitCodes.usage, {
  code: "log_not_a_file",
  message: "`doctor --repair` mends the file of a log, and this log is in a database.",
  hint: "`proofline verify RUN` checks a run of it. The server looks after its pages: restore it from a backup."
})

const outAlone = stop(exitCodes.usage, {
  code: "out_without_repair",
  message: "--out names the file that --repair writes.",
  hint: "Add --repair, or leave --out out."
})
