/** What everybody may use of it: how directories are made. */
export { makeDirectoryNow } from "./logDirectories.ts"
