export * from "./eventLogContract.ts"
export * from "./given.ts"
export * from "./scripted.ts"
