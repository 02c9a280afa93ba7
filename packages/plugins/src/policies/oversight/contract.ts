/** What the front-ends may know of oversight. */
export { cancelRun } from "./cancel.ts"
export { Oversight } from "./Oversight.ts"
export { oversightOperations } from "./operations/index.ts"
export {
  type About,
  type AskedAt,
  answerQuestion,
  foldAskedAt,
  isAway,
  maxLookedAt,
  mayWaitForPerson,
  type Question,
  questionOf,
  undecidedTasks,
  waitingIn
} from "./questions.ts"
export { makeStats, type StatsAsked } from "./stats.ts"
export { takingUpIn } from "./takingUp.ts"
