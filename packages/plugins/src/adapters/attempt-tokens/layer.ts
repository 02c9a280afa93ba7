import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { readFileSync } from "node:fs"
import { link, rename, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { LogUnavailable } from "@proofline/kernel"
import { Effect, Layer, Option, Predicate, Schema } from "effect"
import { makeDirectory } from "../../log/logDirectories.ts"
import { isFull } from "../../log/noSpace.ts"
import { type AgentCall, AttemptTokens } from "../../policies/attempts/contract.ts"

export interface AttemptTokensOptions {
  /** Where Proofline keeps its state; the key lies in it, for its owner alone. */
  readonly stateDir: string
}

/** `att_`, what it was minted for, a dot, and the proof that it was minted here; no token of a session has a dot. */
const form = /^att_[\w-]+\.[\w-]+$/

const keyBytes = 32

const Subject = Schema.fromJsonString(
  Schema.Tuple([
    Schema.String,
    Schema.String,
    Schema.Int,
    Schema.Literals(["work", "review", "analyze", "generate", "verify"])
  ])
)
const decodeSubject = Schema.decodeUnknownOption(Subject)

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : "unknown"

const keyFile = (stateDir: string): string => join(resolve(stateDir), "attempts.key")

/** The key of the project; null: there is none yet. Asked for with each attempt: another thread would take longer. */
const readKey = (stateDir: string): Buffer | null => {
  const key = readIfThere(keyFile(stateDir))
  // one that was cut off would be easier to guess
  if (key !== null && key.length !== keyBytes) throw Object.assign(new Error(), { code: "damaged" })
  return key
}

const readIfThere = (file: string): Buffer | null => {
  try {
    return readFileSync(file)
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return null
    throw cause
  }
}

/** Of several processes that make it at the same time one does, and all have the same. */
const makeKey = async (stateDir: string): Promise<Buffer> => {
  const file = keyFile(stateDir)
  const fresh = `${file}.${process.pid}.${randomBytes(6).toString("hex")}`
  await makeDirectory(stateDir)
  try {
    await writeFile(fresh, randomBytes(keyBytes), { mode: 0o600, flag: "wx" })
    await link(fresh, file).catch((cause) =>
      // where the file system has no links the last one stays
      codeOf(cause) === "EEXIST" ? undefined : rename(fresh, file)
    )
  } finally {
    await rm(fresh, { force: true })
  }
  return readKey(stateDir) ?? Promise.reject(new Error())
}

/** What was begun is brought to its end, so that no part of it is left beside the key. */
const withFile = <A>(stateDir: string, run: () => Promise<A>): Effect.Effect<A, LogUnavailable> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => {
      const code = codeOf(cause)
      const full = isFull(cause)
      return new LogUnavailable({
        code: full ? "log_disk_full" : code === "damaged" ? "log_failed" : "log_unwritable",
        message: `The key of agents' tokens, ${keyFile(stateDir)}, cannot be used (${code}).`,
        hint: full
          ? "Free some space, then resume the run."
          : code === "damaged"
            ? "Remove it while no run is under way: a new one is made."
            : "Make it readable and its directory writable, then resume the run."
      })
    }
  }).pipe(Effect.uninterruptible)

const proofOf = (key: Buffer, subject: string): string => createHmac("sha256", key).update(subject).digest("base64url")

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const read = (key: Buffer, token: string): AgentCall | null => {
  const dot = token.indexOf(".")
  const subject = token.slice(0, dot)
  if (!form.test(token) || !isSame(token.slice(dot + 1), proofOf(key, subject))) return null
  const decoded = decodeSubject(Buffer.from(subject.slice("att_".length), "base64url").toString("utf8"))
  return Option.match(decoded, {
    onNone: () => null,
    onSome: ([run_id, task_id, attempt, role]) => ({ run_id, task_id, attempt, role })
  })
}

/** Tokens that carry what they were minted for, proven by a key of the project that never leaves its state directory. */
export const layer = ({ stateDir }: AttemptTokensOptions): Layer.Layer<AttemptTokens> =>
  Layer.succeed(AttemptTokens, {
    isToken: (text) => form.test(text),
    mint: ({ attempt, role, run_id, task_id }) =>
      withFile(stateDir, async () => {
        const key = readKey(stateDir) ?? (await makeKey(stateDir))
        const subject = `att_${Buffer.from(JSON.stringify([run_id, task_id, attempt, role])).toString("base64url")}`
        return `${subject}.${proofOf(key, subject)}`
      }),
    read: (token) =>
      withFile(stateDir, async () => {
        const key = readKey(stateDir)
        return key === null ? null : read(key, token)
      })
  })
