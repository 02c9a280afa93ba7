import { isScript } from "./families.ts"

/**
 * Assertions that only say that something imported is there. They cannot fail: the file could not be loaded without it.
 * `code` has its comments blanked and its strings hidden.
 */

/** The names that imports of a file bind; those of other languages than Python and JavaScript are not known. */
export interface Imported {
  readonly names: ReadonlySet<string>
  /** Those that are there as soon as the file is loaded. */
  readonly there: ReadonlySet<string>
  /** Those that are modules as a whole. */
  readonly modules: ReadonlySet<string>
}

export const importedIn = (language: string, imports: ReadonlyArray<string>): Imported => {
  const bound = language === "python" ? imports.flatMap(ofPython) : isScript(language) ? imports.flatMap(ofScript) : []
  const those = (is: (one: Bound) => boolean) => new Set(bound.filter(is).map(({ name }) => name))
  return {
    names: those(() => true),
    there: those(({ isThere }) => isThere),
    modules: those(({ isModule }) => isModule)
  }
}

interface Bound {
  readonly name: string
  readonly isThere: boolean
  readonly isModule: boolean
}

const ofPython = (statement: string): ReadonlyArray<Bound> => {
  const [, from, names = ""] = /^\s*(from\s+[\w.]+\s+)?import\s+([^#]+)/.exec(statement.replaceAll("\\\n", " ")) ?? []
  return names
    .replace(/[()]/g, " ")
    .split(",")
    .flatMap((one) => {
      const [, name = "", alias] = /^\s*([\w.]+)(?:\s+as\s+(\w+))?\s*$/.exec(one) ?? []
      // `import a.b` binds `a`
      const bound = alias ?? name.split(".")[0] ?? ""
      const isModule = from === undefined
      // a constant may well be empty
      return bound === "" ? [] : [{ name: bound, isModule, isThere: isModule || /[a-z]/.test(name) }]
    })
}

/** Only whole modules are surely there: a name that a module does not export is undefined in some loaders. */
const ofScript = (statement: string): ReadonlyArray<Bound> => {
  const whole = [
    /^\s*import\s*\*\s*as\s+([\w$]+)\s+from\b/,
    /^\s*(?:const|let|var)\s+([\w$]+)\s*=\s*(?:await\s+import|require)\s*\([^()]*\)\s*;?\s*$/
  ].flatMap((form) => form.exec(statement)?.[1] ?? [])
  if (whole.length > 0) return whole.map((name) => ({ name, isModule: true, isThere: true }))
  const said =
    /^\s*import\s+([\s\S]*?)\s+from\b/.exec(statement)?.[1] ??
    /^\s*(?:const|let|var)\s+([\s\S]*?)\s*=/.exec(statement)?.[1] ??
    ""
  const bound = said.replace(/[\w$]+\s*(?:\bas\b|:)\s*(?=[\w$*])/g, "").match(/[A-Za-z_$][\w$]*/g) ?? []
  return bound.map((name) => ({ name, isModule: false, isThere: false }))
}

/**
 * Where such assertions stand in the body of a test: that something imported is there, or that it, or a part of a module, is a
 * function. Of what it does they say nothing. `head`: what leads to the body, whose parameters hide an import.
 */
export const saysThere = (
  code: string,
  text: string,
  head: string,
  language: string,
  imported: Imported
): ReadonlyArray<readonly [from: number, to: number]> => {
  const forms = language === "python" ? inPython : isScript(language) ? inScript : { there: [], callable: [] }
  const isIn = (names: ReadonlySet<string>, name: string): boolean => names.has(name) && !isBoundAnew(name, head, code)
  const there = forms.there.flatMap((form) =>
    [...code.matchAll(form)].flatMap(({ 0: said, 1: indent = "", 2: name = "", index }) =>
      isIn(imported.there, name) ? [[index + indent.length, index + said.length] as const] : []
    )
  )
  // what a module gives away may be what is tested
  const callable = ofExports.test(head) ? [] : forms.callable
  return [
    ...there,
    ...callable.flatMap((form) =>
      [...text.matchAll(form)].flatMap(({ 0: said, 1: name = "", 2: part, index }) =>
        // a part of something else may be what the program puts there
        isIn(part === undefined ? imported.names : imported.modules, name)
          ? [[index, index + said.length] as const]
          : []
      )
    )
  ]
}

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

const formsOfPython = [
  /^([ \t]*)assert[ \t]*\(?[ \t]*(\w+)[ \t]*(?:(?:is[ \t]+not|!=)[ \t]+None[ \t]*)?\)?[ \t]*(?:,[^\n]*)?(?=$|\n|;)/gm,
  /^([ \t]*)self\.assert(?:True|IsNotNone)\([ \t]*(\w+)[ \t]*(?:,[^()\n]*)?\)/gm
]

const formsOfScript = [
  /((?<![\w$.]))expect\(\s*([\w$]+)\s*\)\s*(?:\.(?:to(?:BeDefined|BeTruthy)|not\s*\.\s*toBe(?:Null|Undefined|Falsy))\s*\(\s*\)|(?:\.(?:to|not|be))*\.(?:exist|ok)\b(?!\s*\())/g,
  /((?<![\w$.]))(?:assert(?:\.(?:ok|exists|isOk|isDefined|isNotNull))?|t\.(?:ok|truthy|assert))\(\s*([\w$]+)\s*(?:,[^()\n]*)?\)/g
]

const inPython = { there: formsOfPython, callable: callableInPython }
const inScript = { there: formsOfScript, callable: callableInScript }

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
