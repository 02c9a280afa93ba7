export { commandRun } from "./commandRun.ts"
export { makeSecondLook } from "./commands/again/activities.ts"
