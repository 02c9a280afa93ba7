/** What is done with a log file that is damaged. Nothing here changes it. */
export { databaseFaults } from "./salvage/faults.ts"
export { salvageInto } from "./salvage/into.ts"
export { abandonedParts, partOf, removePart } from "./salvage/parts.ts"
export { type Salvage, type SalvagedRun, salvage } from "./salvage/salvage.ts"
export { checkWal } from "./wal.ts"
