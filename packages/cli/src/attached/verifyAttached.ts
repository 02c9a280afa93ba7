import { type Attached, attachedIn, commitOf, isPartial, remotesOf } from "@proofline/plugins/adapters/git-receipts"
import { Effect, Result } from "effect"
import type { SignatureChoice } from "../base/choices.ts"
import { pathsOf } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { type CommitProof, commitDocument } from "../documents/attached.ts"
import { print, printDocument, say } from "../process/output.ts"
import { kindsOfPlugins } from "../project/evidenceKinds.ts"
import { existingProject } from "../project/files.ts"
import type { RunChoice } from "../reading/withRun.ts"
import { commitProofText } from "../render/commitProof.ts"
import { styleFor, wantsColor } from "../render/style.ts"
import { isBroken } from "./attachedFindings.ts"
import { attachedProof, type ProofQuestion } from "./attachedProof.ts"
import { commitUnknown, fetchLine, gitStop, refetchLine, usualRemote } from "./attachedRefs.ts"
import { type TrustedKeys, trustedKeys } from "./trustedKeys.ts"

export interface VerifyAttachedOptions extends RunChoice {
  readonly ref?: string | undefined
  readonly publicKey?: string | undefined
  readonly signature?: SignatureChoice | undefined
  readonly json: boolean
}

/** `proofline verify --ref COMMIT` where there is no log: what is attached to the commit, and what of it holds there. */
export const verifyAttached = Effect.fnUntraced(function* (options: VerifyAttachedOptions) {
  const paths = yield* existingProject(options)
  const { root } = paths
  const name = options.ref ?? "HEAD"
  const head = yield* Effect.mapError(commitOf(root, name), (failed) => gitStop(root, failed))
  if (head === null) return yield* commitUnknown(name)
  const trusted = yield* trustedKeys(paths, options.publicKey, null)
  const proof = yield* proofOf({
    root,
    head,
    base: null,
    run: options.run,
    trusted,
    isSignatureRequired: isRequired(options.signature, trusted),
    areFilesRequired: false,
    kinds: kindsOfPlugins(pathsOf(options))
  })
  yield* options.json
    ? printDocument(commitDocument, proof)
    : print(commitProofText(proof, styleFor(wantsColor(process.stdout))))
  yield* sayWhatIsMissing(root, proof)
  return codeOf(proof)
})

/** Who names keys means them: without a word of the user a signature is asked for as soon as a key is known. */
export const isRequired = (said: SignatureChoice | undefined, { keys }: TrustedKeys): boolean =>
  (said ?? (keys.length > 0 ? "required" : "optional")) === "required"

export const proofOf = Effect.fnUntraced(function* (question: ProofQuestion) {
  const { root } = question
  const asked = yield* Effect.result(attachedProof(question))
  const isCut = Result.isSuccess(asked) ? hasUnread(asked.success) : asked.failure._tag === "GitFailed"
  if (isCut && (yield* isPartial(root))) return yield* objectsMissing(yield* remotesHere(root))
  if (Result.isSuccess(asked)) return asked.success
  return yield* asked.failure._tag === "GitFailed" ? gitStop(root, asked.failure) : asked.failure
})

const hasUnread = ({ runs }: CommitProof): boolean =>
  runs.some(({ receipts }) =>
    receipts.some(({ reason, status }) => status === "stale" && /cannot be read/.test(reason))
  )

const objectsMissing = (remotes: ReadonlyArray<string>) =>
  stop(exitCodes.usage, {
    code: "objects_missing",
    message:
      "This is a partial clone: the content of files that receipts speak of, or receipts themselves, were left out.",
    hint: `Fetch it: ${refetchLine(usualRemote(remotes))}`
  })

const remotesHere = (root: string) => Effect.orElseSucceed(remotesOf(root), () => [])

/** Not proven is 1; what is not to be trusted is 5. */
export const codeOf = ({ findings, whole }: CommitProof): number =>
  findings.some(isBroken) ? exitCodes.integrity : whole ? exitCodes.proven : exitCodes.unmet

/** Where nothing was found because nothing was fetched: how to get it. */
export const sayWhatIsMissing = Effect.fnUntraced(function* (root: string, { found }: CommitProof) {
  if (found !== "none") return
  const here = yield* Effect.orElseSucceed(attachedIn(root), (): Pick<Attached, "notes" | "refs"> | null => null)
  if (here !== null && here.notes.size + here.refs.size > 0) return
  yield* say(
    `No receipts were fetched into this repository; git does not do it by itself:\n    ${fetchLine(usualRemote(yield* remotesHere(root)))}`
  )
})
