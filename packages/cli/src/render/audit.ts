import { type Finding, findingCodes, findingRules } from "../audit/findings.ts"
import type { AuditData } from "../documents/audit.ts"
import { count } from "./lines.ts"
import { sarif } from "./sarif.ts"
import { oneLine, type Style } from "./style.ts"

/** Each finding on a line behind its place, then what was looked at. */
export const auditText = (data: AuditData, { bold, dim, green, red }: Style): string => {
  const { findings, not_judged } = data
  const sum = sumOf(data)
  return [
    ...findings.map(
      ({ code, file, item, line, message }) =>
        `${red("✘")} ${oneLine(file, 200)}:${line} ${oneLine(item, 100)}\n    ${oneLine(message, 300)} ${dim(`[${code}]`)}`
    ),
    ...(findings.length > 0 ? [""] : []),
    bold(findings.length === 0 ? green(sum) : red(sum)),
    ...notJudgedLines(not_judged, dim),
    ""
  ].join("\n")
}

const notJudgedLines = (not_judged: AuditData["not_judged"], dim: (text: string) => string): ReadonlyArray<string> =>
  not_judged.length === 0
    ? []
    : ["", "Not judged:", ...not_judged.map(({ what, why }) => `  ${oneLine(what, 200)}: ${dim(oneLine(why, 300))}`)]

const sumOf = ({ findings, lists }: AuditData): string => {
  const total = (key: "items" | "ticked" | "names_nothing" | "unclear") =>
    lists.reduce((sum, list) => sum + list[key], 0)
  const accused = new Set(findings.map(({ file, line, column }) => `${file}:${line}:${column}`)).size
  return [
    `${accused} of ${`${total("ticked")} ticked`} in ${count(lists.length, "list")} without evidence that holds`,
    `${total("names_nothing")} name nothing`,
    `${total("unclear")} unclear`
  ].join("; ")
}

/** For a comment on a pull request. */
export const auditMarkdown = (data: AuditData): string =>
  [
    `**${sumOf(data)}.**`,
    ...(data.findings.length === 0
      ? []
      : [
          "",
          "| box | item | why not |",
          "|---|---|---|",
          ...data.findings.map(
            ({ code, file, item, line, message }) =>
              `| ${cell(`${file}:${line}`)} | ${cell(oneLine(item, 100))} | ${cell(message)} (\`${code}\`) |`
          )
        ]),
    ...data.not_judged.map(({ what, why }) => `\nNot judged: ${cell(what)}. ${cell(why)}`),
    ""
  ].join("\n")

/** What files say is shown as it is, in one cell. */
const cell = (text: string): string => oneLine(text, 400).replaceAll(/[\\`*_{}[\]<>#|~@&]/g, (mark) => `\\${mark}`)

export const auditSarif = (findings: ReadonlyArray<Finding>): object =>
  sarif({
    rules: findingCodes.map((id) => ({ id, ...findingRules[id] })),
    results: findings.map(({ code, file, item, line, message, path }) => ({
      ruleId: code,
      level: code === "never_touched" ? "warning" : "error",
      message: `${message} (${item})`,
      file,
      line,
      fingerprint: JSON.stringify([item, path])
    }))
  })
