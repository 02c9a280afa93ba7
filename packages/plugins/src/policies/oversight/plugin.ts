export type { OversightOptions } from "./context.ts"
export { oversightLayer } from "./layer.ts"
export { Oversight } from "./Oversight.ts"
export { answerQuestion, mayWaitForPerson, type Question, questionOf, undecidedTasks } from "./questions.ts"
