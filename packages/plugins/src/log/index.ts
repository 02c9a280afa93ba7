/** What everybody may use of it: how directories are made, and whether there was space for a file. */
export { makeDirectoryNow } from "./logDirectories.ts"
export { isFull } from "./noSpace.ts"
