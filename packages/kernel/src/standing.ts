// How a run stands, for those who do not load the kernel to say it.
export * from "./view/Answers.ts"
export * from "./view/Comparison.ts"
export * from "./view/Standing.ts"
