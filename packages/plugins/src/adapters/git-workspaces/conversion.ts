import { existsSync } from "node:fs"
import { homedir } from "node:os"
import * as Path from "node:path"
import { Effect } from "effect"
import { commonOf } from "../../git/places.ts"
import { remembered } from "../../git/remembered.ts"
import { type Checkout, git, gitNames } from "../../git/run.ts"
import type { FilesFingerprint } from "./fingerprint.ts"
import { attempt, type Failing } from "./store.ts"

/** Whether git may keep other bytes than a file has: ends of lines, encodings, filters. */
export const convertsFiles = Effect.fnUntraced(function* (
  checkout: Checkout,
  { head, prints }: FilesFingerprint
): Effect.fn.Return<boolean, Failing> {
  for (const path of prints.keys()) if (Path.basename(path) === attributes) return true
  // it changes with files that are seen as changed, and with settings, of which nobody hears
  return yield* remembered(
    "converts",
    () => `${checkout.own} ${head}`,
    looked(checkout),
    () => true
  )
})

const attributes = ".gitattributes"

const looked = Effect.fnUntraced(function* (checkout: Checkout): Effect.fn.Return<boolean, Failing> {
  const config = process.env["XDG_CONFIG_HOME"] ?? Path.join(homedir(), ".config")
  if (existsSync(Path.join(config, "git", "attributes")) || existsSync("/etc/gitattributes")) return true
  const common = yield* attempt(`${checkout.own} cannot be read`, async () => commonOf(checkout.own))
  if (existsSync(Path.join(common, "info", "attributes"))) return true
  const set = yield* git(checkout, ["config", "--get-regexp", "^core\\.(autocrlf|eol|attributesfile)$"]).pipe(
    // it fails where none is set
    Effect.orElseSucceed(() => "")
  )
  if (set !== "") return true
  const files = yield* gitNames(checkout, ["ls-files", "-z", "--", `:(glob)**/${attributes}`], {
    env: { GIT_LITERAL_PATHSPECS: "0" },
    unreadable: "left out"
  })
  return files.length > 0
})
