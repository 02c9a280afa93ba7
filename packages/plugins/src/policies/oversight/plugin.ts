export type { OversightOptions } from "./context.ts"
export * from "./contract.ts"
export { oversightLayer } from "./layer.ts"
