import type { Declaration } from "../../port/index.ts"
import { commentsOf } from "./comments.ts"
import { at, type ChangedFile, type Finding } from "./file.ts"

/**
 * New functions that only say that they are not implemented. One of a type that another one of the file implements is
 * meant to be overridden.
 */
export const stubsIn = (file: ChangedFile): ReadonlyArray<Finding> => {
  const declarations = file.outline?.declarations ?? []
  return declarations.flatMap((declaration) =>
    declaration.kind === "function" &&
    declaration.empty !== null &&
    isNew(file, declaration) &&
    saysSo.test(file.lines.slice(declaration.start.row, declaration.end.row + 1).join("\n")) &&
    !isImplemented(declarations, declaration)
      ? [at(file.path, declaration.start.row, file.lines[declaration.start.row] ?? "")]
      : []
  )
}

const saysSo = /\bnot[\s_-]?(?:yet[\s_-]?)?implemented|\bunimplemented\b|\btodo!|\bTODO\(\)/iu

const isNew = (file: ChangedFile, { end, start }: Declaration): boolean => {
  for (let row = start.row; row <= end.row; row++) if (!file.isChanged(row)) return false
  return true
}

const isImplemented = (declarations: ReadonlyArray<Declaration>, { name, parent }: Declaration): boolean =>
  parent !== null &&
  name !== null &&
  declarations.some((other) => other.name === name && other.parent !== parent && other.empty === null)

/**
 * Whether anything was done in a file. In a new one blanks, comments and functions in which nothing is done are nothing;
 * in one that was there before, a comment may be what was asked for.
 */
export const hasSubstance = (file: ChangedFile): boolean => {
  const rows = [...file.lines.keys()].filter((row) => file.isChanged(row) && (file.lines[row] ?? "").trim() !== "")
  const isNewFile = file.lines.every((_, row) => file.isChanged(row))
  // lines were taken out
  if (!isNewFile && !file.lines.some((line, row) => file.isChanged(row) && line.trim() !== "")) return true
  const nothing = (file.outline?.declarations ?? []).filter(({ empty }) => empty !== null)
  const comments = isNewFile ? (commentsOf(file) ?? []) : []
  return rows.some(
    (row) =>
      !nothing.some(({ end, start }) => start.row <= row && row <= end.row) &&
      !comments.some(
        ({ end, start }) =>
          start.row <= row &&
          row <= end.row &&
          (row > start.row || (file.lines[row] ?? "").slice(0, start.column).trim() === "")
      )
  )
}
