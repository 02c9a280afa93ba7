export { commandRun } from "./commandRun.ts"
