import { readFileSync } from "node:fs"
import { report, type Trip } from "./report.ts"

const file = process.argv[2]
if (file === undefined) {
  process.stderr.write("Usage: node src/cli.ts <trip.json>\n")
  process.exit(2)
}
const trip = JSON.parse(readFileSync(file, "utf8")) as Trip
process.stdout.write(`${report(trip)}\n`)
