export { criterionChecks, escrowedIn, escrowName } from "./names.ts"
