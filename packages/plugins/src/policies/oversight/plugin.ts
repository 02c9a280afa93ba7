export { cancelRun } from "./cancel.ts"
export type { OversightOptions } from "./context.ts"
export { oversightLayer } from "./layer.ts"
export { Oversight } from "./Oversight.ts"
export {
  type About,
  answerQuestion,
  itemAnswers,
  mayWaitForPerson,
  type Question,
  questionOf,
  undecidedTasks
} from "./questions.ts"
