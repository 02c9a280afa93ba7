/** What adapters and front-ends may know of the tree of a run. */
export { type RecordedTree, RecordTree, treeFields, treeMoved, treeRecorded } from "./tree.ts"
