import { truthOf } from "../../../../text/conditions.ts"
import { type InertRule, type NewRows, rowAt, shown } from "./newRows.ts"

/** Statements for a database by which nothing is changed: `check (true)`, `where false`, `select 1`. */
export const changesNothing: InertRule = (code) => {
  const [first] = code.rows
  if (!/\.(?:sql|psql|ddl)$/i.test(code.path) || first === undefined) return null
  const up = emptyUp(code)
  if (up !== null)
    return `Nothing is done on the way up of this migration: ${shown(up)}. Let it do what the item asks for.`
  const whole = code.rows.map((row) => rowAt(code, row)).join("\n")
  const statements = whole
    .split(/;[ \t]*(?:\n|$)/)
    .map((one) => one.trim())
    .filter((one) => one !== "")
  const why = isTested(code.item)
    ? statements.every((one) => passes.test(one))
    : isTakenBack(statements) ||
        (statements.every((one) => idle.test(one)) &&
          (ofShape.test(code.item) || isMigration.test(code.path)) &&
          !ofQueries.test(code.item))
      ? true
      : statements.filter((one) => !frame.test(one)).every((one) => isEmpty(one, code.item))
  return why && statements.length > 0
    ? `Nothing comes of these statements: ${shown(rowAt(code, first))}. Let them do what the item asks for.`
    : null
}

const isMigration = /(?:^|\/)(?:\w*[-_])?migrat\w*\/|(?:^|\/)[VU]\d[\d._]*__\w+\.sql$/i

/** The new line behind which a migration is to do its work, and does nothing up to the way back. */
const emptyUp = ({ fresh, item, lines, texts }: NewRows): string | null => {
  const row = lines.findIndex((line) => /^\s*--\s*(?:\+goose up|\+migrate up|migrate:up|rambler up|up)\b/i.test(line))
  const behind = lines.findIndex(
    (line, at) => at > row && /^\s*--\s*(?:\+goose |\+migrate |migrate:|rambler )?down\b/i.test(line)
  )
  if (row === -1 || behind === -1 || /\b(?:down|irreversible|revert\w*|roll\w* ?back)\b/i.test(item)) return null
  const rows = texts.slice(row + 1, behind).flatMap((text, at) => (text.trim() === "" ? [] : [row + 1 + at]))
  const isNew = fresh.some((one) => one > row)
  const said = rows.map((one) => (texts[one] ?? "").trim().replace(/;$/, ""))
  return isNew && !rows.some((one) => !fresh.includes(one)) && said.every((one) => idle.test(one))
    ? (lines[row] ?? "")
    : null
}

/** All of it is undone at its end. */
const isTakenBack = (statements: ReadonlyArray<string>): boolean =>
  /^(?:begin|start transaction)/i.test(statements[0] ?? "") &&
  /^rollback$/i.test(statements.at(-1) ?? "") &&
  !statements.some((one) => /^commit\b|^savepoint\b/i.test(one))

const isTested = (item: string): boolean => /\btests?\b/i.test(item)
/** Of pgTAP. */
const passes = /^select\s+(?:pass\s*\(|ok\s*\(\s*true\b|is\s*\(\s*(.+?)\s*,\s*\1\s*[,)])/i

const frame = /^(?:begin|commit|start\s+transaction|set\s|use\s)(?:\s+\w+)*$/i
const idle =
  /^(?:begin|commit|rollback|start\s+transaction|select\s+(?:'[^']*'|-?\d+|null|true)(?:\s+as\s+\w+)?|do\s+\$\$\s*begin\s+(?:null\s*;\s*)?end\s*;?\s*\$\$)$/i
const ofShape = /\b(?:columns?|constraints?|index(?:es)?|migrat\w*|schemas?|tables?|triggers?)\b/i
const ofQueries = /\b(?:dry[- ]run|health|ping|quer(?:y|ies)|reports?|select|smoke|views?)\b/i

const isEmpty = (statement: string, item: string): boolean => {
  const text = statement.replace(/\s+/g, " ")
  const where = /^(?:update|delete|insert|create (?:unique )?index)\b.*?\bwhere (.+)$/i.exec(text)?.[1]
  if (where !== undefined && truthOf(asCode(where), () => false) === false) return true
  if (!ofTriggers.test(item) && /^update [\w."]+ set ([\w."]+) = \1(?: where .*)?$/i.test(text)) return true
  const checks = [...text.matchAll(/\bcheck \(((?:[^()]|\([^()]*\))*)\)/gi)].map(([, said = ""]) => said)
  if (
    /^alter table\b.*\badd (?:constraint \S+ )?check\b/i.test(text) &&
    checks.length > 0 &&
    checks.every((one) => truthOf(asCode(one), isName) === true)
  )
    return true
  return (
    ofOwners.test(item) &&
    /^create policy\b/i.test(text) &&
    !(/\bfor select\b/i.test(text) && ofReading.test(item)) &&
    [...text.matchAll(/\b(?:using|with check) ?\( ?(.*?) ?\)/gi)].every(([, said]) => said?.toLowerCase() === "true")
  )
}

const isName = (one: string): boolean => /^[\w.]+$/.test(one)
const ofOwners = /\b(?:isolat\w*|limit\w*|only|own(?:ers?|ed)?|protect\w*|restrict\w*|tenants?)\b/i
/** An update runs them, whatever it changes. */
const ofTriggers = /\btriggers?\b/i
const ofReading = /\b(?:read\w*|see|view\w*)\b/i
const asCode = (condition: string): string =>
  condition
    .replace(/<>/g, "!=")
    .replace(/(?<![<>!=])=(?!=)/g, "==")
    .replace(/\b(?:TRUE|FALSE|AND|OR|NOT|IS|NULL)\b/gi, (word) => word.toLowerCase())
