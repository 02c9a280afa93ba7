import type { RunReceipts } from "@proofline/kernel"
import { keyId, payloadType, seal, statementOf } from "@proofline/plugins/adapters/dsse"
import {
  attach,
  commitOf,
  NotAttached,
  notesRef,
  prefixOf,
  push,
  receiptsRef
} from "@proofline/plugins/adapters/git-receipts"
import { stillHolds } from "@proofline/plugins/policies/evidence"
import { Effect } from "effect"
import { combineLines } from "../attached/attachedLines.ts"
import { commitUnknown, fetchLine, gitStop } from "../attached/attachedRefs.ts"
import { judgedAt, judging } from "../attached/commitTrees.ts"
import { pathsOf } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { attachDocument } from "../documents/attached.ts"
import { printDocument, quoted, say } from "../process/output.ts"
import { projectKinds } from "../project/evidenceKinds.ts"
import { existingProject } from "../project/files.ts"
import { provenReceipts, receiptsText, type SigningOptions } from "../reading/provenReceipts.ts"
import { count } from "../render/lines.ts"

export interface AttachOptions extends SigningOptions {
  readonly ref?: string | undefined
  readonly push?: string | undefined
  readonly json: boolean
}

/** `proofline receipts attach [run]`: what `receipts export` writes, as a note of a commit and under a ref of the run. */
export const attachReceipts = Effect.fnUntraced(function* (options: AttachOptions) {
  const { root } = yield* existingProject(options)
  const { key, receipts } = yield* provenReceipts(options)
  const name = options.ref ?? "HEAD"
  const commit = yield* Effect.mapError(commitOf(root, name), (failed) => gitStop(root, failed))
  if (commit === null) return yield* commitUnknown(name)
  const folder = yield* Effect.mapError(prefixOf(root), (failed) => gitStop(root, failed))
  const holding = yield* holdingIn(options, root, commit, receipts)
  const line = seal(payloadType, statementOf(receipts, folder.replace(/\/$/, "")), key).trimEnd()
  const { run_id } = receipts
  const isNew = yield* Effect.mapError(attach(root, { commit, run: run_id, line }, combineLines), (failed) =>
    attachFailed(root, failed)
  )
  yield* say(`${receiptsText(receipts, key)}.`)
  yield* say(
    `${isNew ? "Attached" : "Attached already"} to commit ${commit}, as a note (${notesRef}) and under ${receiptsRef(run_id)}.`
  )
  const remote = options.push
  if (remote !== undefined) {
    yield* Effect.mapError(push(root, remote, run_id, combineLines), (failed) => attachFailed(root, failed))
    yield* say(`Pushed to ${remote}.`)
  }
  const lines = { push: pushLine(remote ?? "origin", run_id), fetch: fetchLine(remote ?? "origin") }
  yield* say(`${remote === undefined ? `Push it:   ${lines.push}\n` : ""}Fetch it:  ${lines.fetch}`)
  if (options.json) {
    yield* printDocument(attachDocument, {
      run_id,
      commit,
      attached: isNew,
      notes_ref: notesRef,
      receipts_ref: receiptsRef(run_id),
      receipts: receipts.receipts.length,
      holding,
      keyid: key === null ? null : keyId(key),
      pushed_to: remote ?? null,
      ...lines
    })
  }
  return exitCodes.proven
})

const pushLine = (remote: string, run: string): string =>
  ["git", "push", remote, notesRef, receiptsRef(run)].map(quoted).join(" ")

/** How many of them hold in the commit; one in which none does is not the one that is meant. */
const holdingIn = Effect.fnUntraced(function* (
  options: AttachOptions,
  root: string,
  commit: string,
  { receipts, run_id }: RunReceipts
) {
  const kinds = yield* projectKinds(pathsOf(options), receipts)
  const judged = yield* Effect.scoped(Effect.provide(judgedAt({ root, ref: commit }, receipts, kinds), judging))
  const holding = judged.filter(stillHolds).length
  if (holding === 0) {
    return yield* stop(exitCodes.unmet, {
      code: "receipts_not_in_commit",
      message: `No receipt of ${run_id} holds in commit ${commit}: ${judged[0]?.reason ?? ""}`,
      hint: "Commit the work first, or name the commit that has it with --ref. Nothing was attached."
    })
  }
  const lost = judged.filter((one) => !stillHolds(one))
  for (const { item, reason } of lost.slice(0, 10)) yield* say(`warning: ${item.task_id}: ${item.item}: ${reason}`)
  if (lost.length > 0) {
    yield* say(
      `warning: ${count(lost.length, "receipt")} of ${judged.length} ${lost.length === 1 ? "does" : "do"} not hold in that commit, which \`proofline verify --ref\` and \`proofline ci\` will say.`
    )
  }
  return holding
})

const attachFailed = (root: string, failed: Parameters<typeof gitStop>[1] | NotAttached): Stop => {
  if (!(failed instanceof NotAttached)) return gitStop(root, failed)
  return stop(failed.reason === "notes_unreadable" ? exitCodes.integrity : exitCodes.unmet, {
    code: failed.reason,
    message: failed.message,
    hint: hints[failed.reason]
  })
}

const hints = {
  notes_unreadable: `Look at \`git show-ref ${notesRef}\`; what was there is as it was.`,
  remote_failed: "It is attached here. Make the remote reachable for git, and run the command again.",
  remote_moving: "It is attached here. Run the command again."
} as const
