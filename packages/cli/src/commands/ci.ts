import { randomBytes } from "node:crypto"
import { appendFileSync } from "node:fs"
import { commitOf, commitsBetween, mergeBase, remotesOf, shallowEnds } from "@proofline/plugins/adapters/git-receipts"
import { Effect } from "effect"
import { isBroken } from "../attached/attachedFindings.ts"
import { gitStop, usualRemote } from "../attached/attachedRefs.ts"
import { ciRange } from "../attached/ciRange.ts"
import { trustedKeys } from "../attached/trustedKeys.ts"
import { codeOf, isRequired, proofOf, sayWhatIsMissing } from "../attached/verifyAttached.ts"
import type { ciFormats, ciRequirements, SignatureChoice } from "../base/choices.ts"
import { documentText } from "../base/Document.ts"
import { formatOf } from "../base/format.ts"
import { placeNamed } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { writeWhole } from "../base/writeWhole.ts"
import { type CommitProof, commitDocument } from "../documents/attached.ts"
import { print, quoted, say } from "../process/output.ts"
import { kindsOfPlugins } from "../project/evidenceKinds.ts"
import { existingProject } from "../project/files.ts"
import { annotations, proofSarif, summaryMarkdown } from "../render/ci.ts"
import { commitProofText } from "../render/commitProof.ts"
import { styleFor, wantsColor } from "../render/style.ts"

export interface CiOptions {
  readonly cwd?: string | undefined
  readonly base?: string | undefined
  readonly head?: string | undefined
  readonly format?: (typeof ciFormats)[number] | undefined
  readonly out?: string | undefined
  readonly require?: (typeof ciRequirements)[number] | undefined
  readonly advisory: boolean
  readonly publicKey?: string | undefined
  readonly signature?: SignatureChoice | undefined
  readonly plugins: boolean
  readonly json: boolean
}

/** `proofline ci`: the receipts of a change, from its base to its head, for a step of CI. Nothing of the project is run. */
export const ci = Effect.fnUntraced(function* (options: CiOptions) {
  const format = yield* formatOf(options, "text")
  const paths = yield* existingProject(options)
  const { root } = paths
  const { base, head } = yield* commitsOf(root, options)
  // who proposes a change must not say whose receipts are believed
  const trusted = yield* trustedKeys(paths, options.publicKey, base ?? head)
  const proof = yield* proofOf({
    root,
    head,
    base,
    run: undefined,
    trusted,
    isSignatureRequired: isRequired(options.signature, trusted),
    areFilesRequired: options.require === "files",
    kinds: options.plugins ? kindsOfPlugins(paths) : null
  })
  const shown = options.advisory ? advised(proof) : proof
  yield* report(shown, format, options.out === undefined ? null : placeNamed(options.out, paths))
  yield* sayWhatIsMissing(root, proof)
  const code = codeOf(proof)
  return options.advisory && code === exitCodes.unmet ? exitCodes.proven : code
}, Effect.scoped)

/** What is only advice is told as a warning; what was made up is not. */
const advised = (proof: CommitProof): CommitProof => ({
  ...proof,
  findings: proof.findings.map((one) =>
    one.level === "error" && !isBroken(one) ? { ...one, level: "warning" as const } : one
  )
})

// --- which commits --------------------------------------------------------------------------------------------------

const commitsOf = Effect.fnUntraced(function* (root: string, options: CiOptions) {
  const said = options.base !== undefined && options.head !== undefined ? null : yield* ciRange(process.env)
  const names = {
    head: options.head ?? said?.head ?? "HEAD",
    base: options.base ?? said?.base ?? null,
    mayLackBase: options.base === undefined && said?.mayLackBase === true
  }
  const git = <A>(asked: Effect.Effect<A, Parameters<typeof gitStop>[1]>) =>
    Effect.mapError(asked, (failed) => gitStop(root, failed))
  const head = yield* git(commitOf(root, names.head))
  const base = names.base === null ? null : yield* git(commitOf(root, names.base))
  const ends = yield* git(shallowEnds(root))
  const remotes = git(remotesOf(root))
  if (head === null) return yield* notHere("head", names.head, ends.size > 0, yield* remotes)
  if (names.base === null) return { head, base: null }
  if (base === null) {
    if (names.mayLackBase) return { head, base: null }
    return yield* notHere("base", names.base, ends.size > 0, yield* remotes)
  }
  if (ends.size > 0 && !(yield* git(isWhole(root, base, head, ends)))) {
    return yield* stop(exitCodes.usage, {
      code: "history_missing",
      message: `This clone is shallow: the commits from ${base} to ${head} are not all here.`,
      hint: `Fetch them: git fetch --unshallow ${quoted(usualRemote(yield* remotes))}, or \`fetch-depth: 0\` of actions/checkout.`
    })
  }
  return { head, base }
})

const isWhole = Effect.fnUntraced(function* (root: string, base: string, head: string, ends: ReadonlySet<string>) {
  if ((yield* mergeBase(root, base, head)) === null) return false
  return (yield* commitsBetween(root, base, head)).every((commit) => !ends.has(commit))
})

const notHere = (what: "head" | "base", name: string, isShallow: boolean, remotes: ReadonlyArray<string>): Stop =>
  stop(exitCodes.usage, {
    code: `${what}_missing`,
    message: `The ${what} of the change, ${name}, is not in this clone.`,
    hint: `Fetch it: ${fetchCommit(name, isShallow, remotes)}${isShallow ? ", or `fetch-depth: 0` of actions/checkout" : ""}.`
  })

const fetchCommit = (name: string, isShallow: boolean, remotes: ReadonlyArray<string>): string => {
  const remote = remotes.find((one) => name.startsWith(`${one}/`))
  const what =
    remote === undefined
      ? [usualRemote(remotes), name]
      : [remote, `+refs/heads/${name.slice(remote.length + 1)}:refs/remotes/${name}`]
  return ["git", "fetch", "--no-tags", ...(isShallow ? ["--unshallow"] : []), ...what].map(quoted).join(" ")
}

// --- what is told ---------------------------------------------------------------------------------------------------

const report = Effect.fnUntraced(function* (
  proof: CommitProof,
  format: (typeof ciFormats)[number],
  out: string | null
) {
  const isOnGithub = process.env["GITHUB_ACTIONS"] === "true"
  const text = commitProofText(proof, styleFor(out === null && wantsColor(process.stdout)))
  const written =
    format === "text" ? text : format === "json" ? documentText(commitDocument.kinds[0], proof) : proofSarif(proof)
  if (out !== null) yield* writeWhole(out, written)
  const told = isOnGithub ? [guarded(text), ...annotations(proof)].join("\n") : text
  if (out === null && format !== "text") {
    yield* print(written)
    // the runner reads both
    if (isOnGithub) yield* say(annotations(proof).join("\n"))
  } else yield* print(told.endsWith("\n") ? told : `${told}\n`)
  const summary = process.env["GITHUB_STEP_SUMMARY"] ?? ""
  if (summary !== "") yield* appendSummary(summary, summaryMarkdown(proof))
})

/** What agents have written is no command of the runner. */
const guarded = (text: string): string => {
  const word = randomBytes(16).toString("hex")
  return `::stop-commands::${word}\n${text}\n::${word}::`
}

const appendSummary = (file: string, text: string) =>
  Effect.try({ try: () => appendFileSync(file, text), catch: (cause) => cause as Error }).pipe(
    Effect.catch(({ message }) => say(`warning: the summary of the job was not written: ${message}`))
  )
