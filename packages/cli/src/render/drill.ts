import { type DrillCase, type DrillCounts, isHeld, type NotTried } from "../documents/drillCase.ts"
import { oneLine, type Style } from "./style.ts"

/** A mark, what was planted where, and what was said of it. */
export const caseLine = (one: DrillCase, { dim, green, red }: Style): string => {
  const { evidence, name, path, refused, side, what } = one
  const mark = isHeld(one) ? green("✔") : red("✘")
  const where = oneLine(evidence ?? path, 100)
  const said = refused ? `refused: ${saidOf(one)}` : side === "cheat" ? "let through" : "accepted"
  const told = isHeld(one) ? said : red(said)
  return `${mark} ${what.padEnd(30)} ${where}${name === null ? "" : dim(` (${oneLine(name, 60)})`)} ${told}`
}

const saidOf = ({ key, why }: DrillCase): string => {
  const short = (key ?? "").replace(/^checklist_(?:evidence_)?/, "")
  const words = oneLine((why ?? "").split(/(?<=[.!?])\s/)[0] ?? "", 100)
  return [short, words].filter((part) => part !== "").join(", ")
}

export const drillEnd = (
  cheats: DrillCounts,
  genuine: DrillCounts,
  notTried: ReadonlyArray<NotTried>,
  { bold, dim, green, red }: Style
): string => {
  const isAll = cheats.refused === cheats.tried && genuine.refused === 0
  const sum = `${cheats.refused} of ${cheats.tried} cheats refused, ${genuine.refused} of ${genuine.tried} genuine changes refused`
  return [
    "",
    bold(isAll ? green(sum) : red(sum)),
    ...(notTried.length === 0 ? [] : ["", "Not tried:"]),
    ...notTried.map(({ what, why }) => `  ${what}: ${dim(oneLine(why, 300))}`),
    ""
  ].join("\n")
}
