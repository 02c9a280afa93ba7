import { randomBytes } from "node:crypto"
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { exitCodes, type Stop, stop } from "../../base/problems.ts"

const bytes = 32

/** The secret under which pseudonyms are made: 64 hexadecimal digits in a file. */
export const readRedactionKey = (file: string): Effect.Effect<Uint8Array, Stop> =>
  Effect.try({
    try: () => {
      const text = readFileSync(file, "utf8").trim()
      if (!/^[0-9a-f]{64}$/.test(text)) throw new Error("it does not hold 64 hexadecimal digits")
      return new Uint8Array(Buffer.from(text, "hex"))
    },
    catch: (cause) => unusable(file, (cause as Error).message)
  })

/** The same; one that is not there is made, for its owner alone. */
export const redactionKey = (file: string): Effect.Effect<Uint8Array, Stop> =>
  existsSync(file)
    ? readRedactionKey(file)
    : Effect.try({
        try: () => {
          const key = randomBytes(bytes)
          const written = openSync(file, "wx", 0o600)
          try {
            writeFileSync(written, `${key.toString("hex")}\n`)
            fsyncSync(written)
          } finally {
            closeSync(written)
          }
          return new Uint8Array(key)
        },
        catch: (cause) => unusable(file, (cause as Error).message)
      })

const unusable = (file: string, why: string): Stop =>
  stop(exitCodes.usage, {
    code: "redaction_key_unusable",
    message: `The redaction key ${file} cannot be used: ${why}.`,
    file,
    hint: "Leave --key out to make one beside the export, or make one with `openssl rand -hex 32`. Keep it: without it nobody can show what was redacted."
  })
