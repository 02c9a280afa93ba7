import { readFileSync } from "node:fs"
import { canonicalJson, type RunReceipts } from "@proofline/kernel"
import { keyId, open, publicKey, receiptsOf } from "@proofline/plugins/adapters/dsse"
import { isLogThere } from "@proofline/plugins/adapters/sqlite-log/inPlace"
import { judgeReceipts, verificationOf } from "@proofline/plugins/policies/evidence"
import { Effect } from "effect"
import { judging, treeAt } from "../attached/commitTrees.ts"
import { verifyAttached } from "../attached/verifyAttached.ts"
import type { SignatureChoice } from "../base/choices.ts"
import { fileNamed, pathsOf, statOf } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { verifyDocument } from "../documents/proof.ts"
import { isArchive } from "../moving/archiveFile.ts"
import { verifyArchive } from "../moving/verifyArchive.ts"
import { print, printDocument, say } from "../process/output.ts"
import { projectKinds } from "../project/evidenceKinds.ts"
import { existingProject, readText } from "../project/files.ts"
import { filesOf } from "../project/filesOf.ts"
import { logBroken, readKey, runRedacted } from "../reading/provenReceipts.ts"
import { type Claim, claimOf, readRun } from "../reading/receiptLog.ts"
import { readRows } from "../reading/rows.ts"
import type { RunChoice } from "../reading/withRun.ts"
import { styleFor, wantsColor } from "../render/style.ts"
import { verificationText } from "../render/verification.ts"

export interface VerifyOptions extends RunChoice {
  readonly ref?: string | undefined
  readonly receipts?: string | undefined
  readonly publicKey?: string | undefined
  readonly attached?: boolean
  readonly signature?: SignatureChoice | undefined
  readonly redactionKey?: string | undefined
  readonly json: boolean
}

/** `proofline verify [run]`: whether the log is as it was written, and every receipt still holds in the project. */
export const verify = (options: VerifyOptions) => {
  // a file in place of a run can only be what was exported; no id of a run is written like a path
  const { receipts, run } = options
  const named = run === undefined || receipts !== undefined ? undefined : fileNamed(run, pathsOf(options)).file
  const isFile = named !== undefined && statOf(named)?.isFile() === true
  if (isFile && isArchive(named)) return verifyArchive(named, options)
  if (options.redactionKey !== undefined) return Effect.fail(redactionKeyUnused)
  const isExport = isFile || (run !== undefined && receipts === undefined && isPath.test(run))
  return Effect.scoped(verifyWith(isExport ? { ...options, run: undefined, receipts: run } : options))
}

const isPath = /[/\\]|\.[a-z]\w*$/

const redactionKeyUnused = stop(exitCodes.usage, {
  code: "redaction_key_unused",
  message: "--redaction-key is for a file that `proofline events export --redact` wrote.",
  hint: "Name that file in place of the run, or leave the key out."
})

const verifyWith = Effect.fnUntraced(function* (options: VerifyOptions) {
  if (yield* isOfCommit(options)) return yield* verifyAttached(options)
  if (options.signature !== undefined) {
    return yield* stop(exitCodes.usage, {
      code: "signature_unused",
      message: "--signature speaks of receipts that are attached to a commit, and none are looked at.",
      hint: "Ask for them with --attached; of --receipts a signature is always required with --public-key."
    })
  }
  const claim = yield* options.receipts === undefined
    ? fromLog(options)
    : fromEnvelope(options, fileNamed(options.receipts, pathsOf(options)).file)
  if (claim.chain !== null && !claim.chain.ok) {
    if (!options.json) return yield* logBroken(claim.receipts.run_id, claim.chain)
    yield* printDocument(verifyDocument, verificationOf({ ...claim, ref: null, judged: [] }))
    return exitCodes.integrity
  }
  const { commit, tree } = yield* treeOf(options)
  const kinds = yield* projectKinds(pathsOf(options), claim.receipts.receipts)
  const judged = yield* Effect.provide(judgeReceipts(claim.receipts.receipts, tree, kinds), judging)
  const found = verificationOf({ ...claim, ref: commit, judged })
  yield* options.json
    ? printDocument(verifyDocument, found)
    : print(verificationText(found, styleFor(wantsColor(process.stdout))))
  if (claim.signature?.checked === false) {
    yield* say(
      claim.signature.signed
        ? "The signature was not checked: name the signer's --public-key."
        : "It is not signed: nothing tells who wrote it."
    )
  }
  return found.whole ? exitCodes.proven : exitCodes.unmet
})

/** What is attached to a commit is asked for, or there is no log here that could say more. */
const isOfCommit = Effect.fnUntraced(function* (options: VerifyOptions) {
  if (options.attached === true || options.receipts !== undefined || options.ref === undefined)
    return options.attached === true
  const paths = pathsOf(options)
  return paths.databaseUrl === undefined && (!isLogThere(paths.database) || (yield* readRows(paths)).length === 0)
})

const fromLog = Effect.fnUntraced(function* (options: VerifyOptions) {
  if (options.publicKey !== undefined) {
    return yield* stop(exitCodes.usage, {
      code: "public_key_unused",
      message: "A log is not signed: there is nothing to check --public-key against.",
      hint: "Name what `proofline receipts export --key` wrote with --receipts, or verify what is attached with --attached."
    })
  }
  const read = yield* readRun(options)
  // its chain may hold; what its evidence stands for is nowhere
  if (read.redacted && read.broken === null) return yield* runRedacted(read)
  return claimOf(read)
})

const fromEnvelope = Effect.fnUntraced(function* (options: VerifyOptions, file: string) {
  const key =
    options.publicKey === undefined
      ? null
      : yield* readKey(
          fileNamed(options.publicKey, pathsOf(options)).file,
          publicKey,
          "Name the signer's public key: `openssl pkey -in key.pem -pubout`."
        )
  const opened = yield* Effect.mapError(
    Effect.fromResult(open(yield* readEnvelope(file), key)),
    ({ message, reason }) => (reason === "signature" ? signatureBroken(file, message) : notReceipts(file, message))
  )
  const receipts = yield* Effect.mapError(Effect.fromResult(receiptsOf(opened)), (why) => notReceipts(file, why))
  const { chain, keptHead } =
    options.run === undefined ? { chain: null, keptHead: null } : yield* sameLog(options, receipts)
  const signature = { signed: opened.signatures > 0, checked: key !== null, keyid: key === null ? null : keyId(key) }
  return { receipts, chain, keptHead, signature } satisfies Claim
})

/** The log must go on from where it was when the receipts were exported, and must have led to these receipts. */
const sameLog = Effect.fnUntraced(function* (options: VerifyOptions, exported: RunReceipts) {
  const { head, run_id } = exported
  const read = yield* readRun(options, head?.version)
  const claim = claimOf(read)
  const { at } = read
  if (read.broken !== null) return claim
  if (read.run_id !== run_id || at === null || at.hash !== head?.hash) {
    return yield* stop(exitCodes.integrity, {
      code: "log_rewritten",
      message: `The receipts are of ${run_id} up to event ${head?.version}, and the log of ${read.run_id} does not hold that event as it was then.`,
      hint: "Name the run that was exported; if it is that one, its log was rewritten since."
    })
  }
  if (canonicalJson(asExported(at.receipts, exported)) !== canonicalJson(exported)) {
    return yield* stop(exitCodes.integrity, {
      code: "receipts_changed",
      message: `The receipts are not what the log of ${run_id} led to at event ${head?.version}.`,
      hint: "They were changed after the export: export them again."
    })
  }
  return claim
})

/** In the shape of the export: earlier ones do not say what was asked for, and before that not what the run had shown. */
const asExported = (whole: RunReceipts, exported: RunReceipts): RunReceipts => {
  const receipts = exported.receipts.some(({ item_sha256 }) => item_sha256 !== undefined) ? whole : withoutAsked(whole)
  if (exported.proof !== undefined || exported.receipts.some(({ verdict }) => verdict !== undefined)) return receipts
  const { proof: _, status, ...rest } = receipts
  return {
    ...rest,
    status: status === "stopped" ? "failed" : status,
    receipts: receipts.receipts.map(({ verdict: __, ...receipt }) => receipt)
  }
}

const withoutAsked = (whole: RunReceipts): RunReceipts => ({
  ...whole,
  receipts: whole.receipts.map(({ criteria, item_sha256, ...receipt }) => receipt)
})

/** Larger ones are read in pieces by nobody; an envelope of 100,000 receipts fits. */
const envelopeMax = 256 * 1_024 * 1_024
const textMax = 5 * 1_024 * 1_024

const readEnvelope = (file: string): Effect.Effect<string, Stop> =>
  Effect.suspend(() => {
    const stat = statOf(file)
    return stat?.isFile() && stat.size > textMax && stat.size <= envelopeMax
      ? Effect.try({
          try: () => readFileSync(file, "utf8"),
          catch: (cause) => notReceipts(file, `It cannot be read: ${(cause as Error).message}.`)
        })
      : readText(file, file)
  })

const notReceipts = (file: string, message: string): Stop =>
  stop(exitCodes.usage, {
    code: "receipts_unreadable",
    message,
    file,
    hint: "Name a file that `proofline receipts export` wrote."
  })

const signatureBroken = (file: string, message: string): Stop =>
  stop(exitCodes.integrity, {
    code: "signature_broken",
    message,
    file,
    hint: "Do not trust it. Get it again from its signer, and make sure that the public key is theirs."
  })

// --- what receipts are compared with ------------------------------------------------------------------------------

const treeOf = Effect.fnUntraced(function* (options: VerifyOptions) {
  const { root } = yield* existingProject(options)
  const { ref } = options
  if (ref === undefined) return { commit: null, tree: yield* filesOf(root) }
  const { commit, projectFiles } = yield* treeAt({ root, ref })
  return { commit, tree: projectFiles }
})
