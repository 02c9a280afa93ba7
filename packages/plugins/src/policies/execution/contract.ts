export { commandRun } from "./commandRun.ts"
export { makeSecondLook } from "./commands/activities.ts"
