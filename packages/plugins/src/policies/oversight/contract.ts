/** What the front-ends may know of oversight. */
export { cancelRun } from "./cancel.ts"
export { Oversight } from "./Oversight.ts"
export { oversightOperations } from "./operations/index.ts"
export {
  type About,
  answerQuestion,
  itemAnswers,
  mayWaitForPerson,
  permissionAnswers,
  type Question,
  questionOf,
  undecidedTasks
} from "./questions.ts"
export { makeStats, type StatsAsked } from "./stats.ts"
