import { isScript } from "./families.ts"

/**
 * Assertions that only say that something imported is there. They cannot fail: the file could not be loaded without it.
 * `code` has its comments blanked and its strings hidden.
 */

/** Names that an import of Python or JavaScript binds to something that is there as soon as the file is loaded. */
export const importedNames = (language: string, imports: ReadonlyArray<string>): ReadonlySet<string> => {
  if (language === "python") return new Set(imports.flatMap(ofPython))
  return isScript(language) ? new Set(imports.flatMap(ofScript)) : new Set()
}

const ofPython = (statement: string): ReadonlyArray<string> => {
  const [, from, names = ""] = /^\s*(from\s+[\w.]+\s+)?import\s+([^#]+)/.exec(statement.replaceAll("\\\n", " ")) ?? []
  return names
    .replace(/[()]/g, " ")
    .split(",")
    .flatMap((one) => {
      const [, name = "", alias] = /^\s*([\w.]+)(?:\s+as\s+(\w+))?\s*$/.exec(one) ?? []
      // `import a.b` binds `a`
      const bound = alias ?? name.split(".")[0] ?? ""
      // a constant may well be empty
      return bound === "" || (from !== undefined && isConstantName(name)) ? [] : [bound]
    })
}

const isConstantName = (name: string): boolean => !/[a-z]/.test(name)

/** Whole modules alone: a name that a module does not export is undefined in some loaders. */
const ofScript = (statement: string): ReadonlyArray<string> =>
  [
    /^\s*import\s*\*\s*as\s+([\w$]+)\s+from\b/,
    /^\s*(?:const|let|var)\s+([\w$]+)\s*=\s*(?:await\s+import|require)\s*\([^()]*\)\s*;?\s*$/
  ].flatMap((form) => form.exec(statement)?.[1] ?? [])

/** All names that imports of Python or JavaScript bind. */
export const namesOfImports = (language: string, imports: ReadonlyArray<string>): ReadonlySet<string> => {
  if (language !== "python" && !isScript(language)) return new Set()
  return new Set(
    imports.flatMap((statement) => {
      const bound =
        language === "python"
          ? /\bimport\s+([^#]+)/.exec(statement)?.[1]
          : (/^\s*import\s+([\s\S]*?)\s+from\b/.exec(statement)?.[1] ??
            /^\s*(?:const|let|var)\s+([\s\S]*?)\s*=/.exec(statement)?.[1])
      return (bound ?? "").match(/[A-Za-z_$][\w$]*/g) ?? []
    })
  )
}

/** Assertions that something imported, or a part of it, is a function: of what it does they say nothing. */
export const saysCallable = (
  code: string,
  text: string,
  head: string,
  language: string,
  { modules, names }: { readonly modules: ReadonlySet<string>; readonly names: ReadonlySet<string> }
): ReadonlyArray<readonly [from: number, to: number]> => {
  if (ofExports.test(head)) return []
  const forms = language === "python" ? callableInPython : isScript(language) ? callableInScript : []
  return forms.flatMap((form) =>
    [...text.matchAll(form)].flatMap(({ 0: said, 1: name = "", 2: part, index }) =>
      // a part of something else may be what the program puts there
      (part === undefined ? names : modules).has(name) && !isBoundAnew(name, head, code)
        ? [[index, index + said.length] as const]
        : []
    )
  )
}

/** What a module gives away may be what is tested. */
const ofExports = /\b(?:api|barrel|entry|exports?|exported|exposes?|index|public|re-?exports?|surface)\b/i
const it = String.raw`([A-Za-z_$][\w$]*)(\.[\w$]+)?`
const ofPackage = String.raw`([A-Za-z_]\w*)((?:\.\w+)+)?`
const aFunction = `["'\x60]function["'\x60]`
const callableInScript = [
  String.raw`(?<![\w$.])expect\(\s*typeof\s+${it}\s*\)\s*\.\s*(?:toBe|toEqual|toStrictEqual|to\.(?:be\.)?(?:equals?|eql?))\s*\(\s*${aFunction}\s*\)`,
  String.raw`(?<![\w$.])expect\(\s*(?:typeof\s+)?${it}\s*(?:===?\s*${aFunction}|instanceof\s+Function)\s*\)\s*\.\s*(?:toBe\s*\(\s*true\s*\)|toBeTruthy\s*\(\s*\)|to\.be\.true)`,
  String.raw`(?<![\w$.])expect\(\s*${it}\s*\)\s*\.\s*(?:toBeInstanceOf\s*\(\s*Function\s*\)|toBeTypeOf\s*\(\s*${aFunction}\s*\)|toEqual\s*\(\s*expect\.any\(\s*Function\s*\)\s*\)|to\.be\.an?\s*\(\s*${aFunction}\s*\))`,
  String.raw`(?<![\w$.])(?:assert|t)(?:\.(?:ok|equal|strictEqual|is|true|truthy))?\(\s*typeof\s+${it}\s*(?:,|===?)\s*${aFunction}\s*(?:,[^()\n]*)?\)`,
  String.raw`(?<![\w$.])(?:(?:assert|t)(?:\.(?:ok|true|truthy))?\(\s*${it}\s*instanceof\s+Function|assert\.isFunction\(\s*${it})\s*(?:,[^()\n]*)?\)`
].map((form) => new RegExp(form, "g"))
const callableInPython = [
  String.raw`(?<=(?:^|\n)[ \t]*)assert[ \t]*\(?[ \t]*(?:callable|inspect\.is\w+|hasattr)\([ \t]*${ofPackage}[ \t]*(?:,[ \t]*["']\w+["'][ \t]*)?\)\)?[ \t]*(?:,[^\n]*)?(?=\n|$)`,
  String.raw`(?<=(?:^|\n)[ \t]*)self\.assert(?:True|IsNotNone)\([ \t]*(?:callable|inspect\.is\w+|hasattr)\([ \t]*${ofPackage}[ \t]*(?:,[ \t]*["']\w+["'][ \t]*)?\)[^\n]*`,
  String.raw`(?<=(?:^|\n)[ \t]*)assert[ \t]+isinstance\([ \t]*${ofPackage}[ \t]*,[ \t]*(?:\w+\.)?(?:FunctionType|Callable)[ \t]*\)[ \t]*(?=\n|$)`
].map((form) => new RegExp(form, "g"))

/** Where such assertions stand in the body of a test; `head`: what leads to it, whose parameters hide an import. */
export const saysPresent = (
  code: string,
  head: string,
  language: string,
  names: ReadonlySet<string>
): ReadonlyArray<readonly [from: number, to: number]> => {
  const forms = language === "python" ? formsOfPython : isScript(language) ? formsOfScript : []
  return forms.flatMap((form) =>
    [...code.matchAll(form)].flatMap(({ 0: said, 1: indent = "", 2: name = "", index }) =>
      names.has(name) && !isBoundAnew(name, head, code) ? [[index + indent.length, index + said.length] as const] : []
    )
  )
}

const formsOfPython = [
  /^([ \t]*)assert[ \t]*\(?[ \t]*(\w+)[ \t]*(?:(?:is[ \t]+not|!=)[ \t]+None[ \t]*)?\)?[ \t]*(?:,[^\n]*)?(?=$|\n|;)/gm,
  /^([ \t]*)self\.assert(?:True|IsNotNone)\([ \t]*(\w+)[ \t]*(?:,[^()\n]*)?\)/gm
]

const formsOfScript = [
  /((?<![\w$.]))expect\(\s*([\w$]+)\s*\)\s*(?:\.(?:to(?:BeDefined|BeTruthy)|not\s*\.\s*toBe(?:Null|Undefined|Falsy))\s*\(\s*\)|(?:\.(?:to|not|be))*\.(?:exist|ok)\b(?!\s*\())/g,
  /((?<![\w$.]))(?:assert(?:\.(?:ok|exists|isOk|isDefined|isNotNull))?|t\.(?:ok|truthy|assert))\(\s*([\w$]+)\s*(?:,[^()\n]*)?\)/g
]

/** A parameter, a fixture or a variable of the same name is something else. */
const isBoundAnew = (name: string, head: string, code: string): boolean => {
  const it = name.replaceAll("$", "\\$")
  return (
    new RegExp(`[(,]\\s*${it}\\s*[,):=]`).test(head) ||
    new RegExp(
      `(?<![\\w$.])(?:${it}\\s*(?::[^=\\n]*)?=(?!=)|${it}\\s*:=|(?:for|as|const|let|var)\\s+${it}\\b|${it}\\s*,[^\\n=]*=(?!=)|,\\s*${it}\\s*=(?!=))`
    ).test(code)
  )
}
