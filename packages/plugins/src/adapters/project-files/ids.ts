import { refined, type Shape, text } from "./shape.ts"
import { quoted } from "./words.ts"

const pattern = /^(?!\.{1,2}$)[\p{L}\p{M}\p{N}_.-]{1,100}$/u

export const isId = (text: string): boolean => pattern.test(text)

/** The id of a task or requirement: it becomes part of file names and of other ids. */
export const shortId: Shape<string> = refined(text("a short id of letters, digits, `_`, `.` and `-`"), (id, subject) =>
  isId(id)
    ? undefined
    : {
        code: "id_invalid",
        message: `${subject.name} cannot be ${quoted(id)}.`,
        hint: "Use letters, digits, `_`, `.` and `-` only, at most 100."
      }
)
