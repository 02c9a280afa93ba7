/** Receipts that travel with the code: in notes of commits, and one ref a run. */
export { commitOf, mergeBase, prefixOf } from "../../git/repository.ts"
export { notesRef, receiptsRef, receiptsRefs } from "../../git/runRefs.ts"
export { changesBetween, emptyTree } from "../../git/tree.ts"
export { type AttachFailing, type Attachment, attach, NotAttached } from "./attach.ts"
export { type Attached, attachedIn, commitsBetween, nearestWithNote, notedElsewhere, receiptsOfRun } from "./find.ts"
export { isPartial, remotesOf, shallowEnds } from "./history.ts"
export { type Combine, isLines, type Lines, type Unread } from "./lines.ts"
export { push } from "./push.ts"
