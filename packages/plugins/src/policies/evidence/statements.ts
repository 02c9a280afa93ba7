import type { Language } from "../../text/languages.ts"
import { hidden } from "../../text/parts.ts"
import { attributesLength, closing } from "./outline.ts"

/**
 * What a statement contributes to an implementation.
 *
 * - `nothing`: imports, brackets, decorators, documentation
 * - `stub`: says that something is still to be written
 * - `null`: returns nothing, which is no work when it is all there is
 * - `guard`: a condition around only such statements
 * - `constant`: returns an empty or fixed value; work, unless a stub or a remark says otherwise
 * - `neutral`: a field or an empty constructor; speaks neither for nor against what surrounds it
 * - `real`: anything else
 */
export type Kind = "nothing" | "stub" | "null" | "guard" | "constant" | "neutral" | "real"

/** Longer statements are not looked into: they hold something. */
const maxLength = 4_000

export const kindOfStatement = (rawCode: string, rawText: string, language: Language, inClass: boolean): Kind => {
  if (rawCode.length > maxLength) return "real"
  const skip = attributesLength(rawCode, language)
  const { code, text } = clean(rawCode.slice(skip), rawText.slice(skip))
  if (/^(?:\.\.\.|…|\?\?\?)$/.test(code)) return "stub"
  if (/^&?(?:\[\s*\]|\{\s*\}|""|'')$/.test(code)) return "constant"
  if (!/[\p{L}\p{N}_$]/u.test(code.replaceAll(hidden, "x")) && code !== "()" && !isNoOp(code, language))
    return "nothing"
  if (isCloser(code) || isImport(code, text) || isDocumentation(code, language) || isDiscard(code)) return "nothing"
  if (isQuiet(rawCode.slice(skip).trim(), language)) return "nothing"
  const label = language.layout === "braces" ? /^(?:case\b[^:?]*|default|else)\s*:(?!:)\s*/.exec(code) : null
  if (label !== null) return kindOfStatement(code.slice(label[0].length), text.slice(label[0].length), language, false)
  if (/^(?:TODO|FIXME|TBD|XXX)\s*(?::|$)/.test(code) || isStub(code, text)) return "stub"
  if (inClass) return isSignature(code, language) ? "real" : (kindOfBodied(code, text, language) ?? "neutral")
  return (
    kindOfConditional(code, text, language) ??
    kindOfBodied(code, text, language) ??
    kindOfValue(returned(code) ?? code, language, returned(code) !== null)
  )
}

const clean = (code: string, text: string): { readonly code: string; readonly text: string } => {
  const start = code.length - code.trimStart().length
  const body = code.trim().replace(/[\s;,]+$/, "")
  return { code: body, text: text.slice(start, start + body.length) }
}

const isNoOp = (code: string, language: Language): boolean => language.name === "shell" && /^:(?:\s|$)/.test(code)

const isCloser = (code: string): boolean =>
  /^(?:end|fi|done|esac|od|endif|endforeach|endwhile|then|do|else|begin|rescue|ensure|finally|try|loop|default)[\s:;)\]}]*$/i.test(
    code
  ) || /^<\/[\w.:-]*>$/.test(code)

const imports = [
  /^import\b(?!\s*\()/,
  /^import\s*\(\s*\n/,
  /^from\s+[\w.]+\s+import\b/,
  /^#\s*(?:include|import|pragma|ifndef|ifdef|if|else|elif|endif|undef|region|endregion|nullable|line)\b/,
  /^#\s*define\s+\w+$/,
  /^package\s+[\w.]+$/,
  /^(?:global\s+)?using\s+(?:static\s+|namespace\s+)?[\w.:=\s<>]+$/,
  /^use\s+[\w:\\{(]/,
  /^extern\s+crate\b/,
  /^namespace\s+[\w\\.]+$/,
  /^(?:require|include)(?:_once|_relative)?\s*\(?\s*["'`]/,
  /^include\s+[A-Z][\w:]*$/,
  /^(?:source|\.)\s+\S+$/,
  /^alias\s+[A-Z][\w.]*/,
  /^module\s+[\w.]+(?:\s*\([\s\S]*\))?\s+where$/,
  /^open\s+[A-Z][\w.]*$/,
  /^(?:part|library)\b(?:\s+of)?\s*[\w.'"(]/,
  /^declare\s*\(\s*strict_types/,
  /^<\?(?:php|xml)?\b|^\?>$|^<\?$/,
  /^"?use strict"?$/,
  /^@(?:doc|moduledoc|typedoc|spec|impl)\b/
]

export const isImport = (code: string, text: string): boolean =>
  imports.some((pattern) => pattern.test(code)) ||
  /^(?:const|let|var|local|import)\s+[\w$\s,{}:]+=\s*require\s*\(?\s*["'][^"']*["']\s*\)?$/.test(text)

const isDocumentation = (code: string, language: Language): boolean =>
  language.docStrings && new RegExp(`^[rRbBuUfF]{0,2}("""|'''|["'\`])[${hidden}\\s]*\\1$`).test(code)

/** A statement that ends with `;` and does nothing: a name without a value, a literal, a value that is thrown away. */
export const isQuiet = (statement: string, language: Language): boolean =>
  (language.layout === "braces" &&
    (language.regexLiterals
      ? /^(?:let|var)\s+[\w$]+(?:\s*,\s*[\w$]+)*\s*;?$/.test(statement) || /^void\s+[\w$.]+\s*;?$/.test(statement)
      : /^(?:let|var)\s+\w+(?:\s*:\s*[\w<>[\]]+)?\s*;$/.test(statement))) ||
  new RegExp(`^(?:\\d[\\w.]*|(["'\`])[${hidden}]*\\1)\\s*;$`).test(statement) ||
  /^(?:if|while)\s*\(\s*(?:false|0)\s*\)\s*(?:\{\s*\})?\s*;?$/.test(statement)

/** Names an unused parameter and does nothing with it. */
const isDiscard = (code: string): boolean =>
  /^(?:\(void\)\s*\w+|(?:let\s+)?_\s*=\s*[\w.]+|(?:void|UNUSED|Q_UNUSED)\s*\(?\s*\w+\s*\)?)$/.test(code)

// --- statements that only say that the work is missing ----------------------------------------------------------

const saying =
  /not\s+(?:yet\s+)?(?:been\s+)?implemented|un-?implemented|not\s+supported\s+yet|implement\s+(?:me|this|it)\b|to\s+be\s+implemented|to-?do:?\s+implement|implementation\s+(?:is\s+)?(?:pending|missing)|未実装/i
const marking = /["'`]\s*(?:TODO|FIXME|TBD|XXX)\b|["'`]\s*to-?do\W*["'`]/
const lowerTodo = /["'`]\s*todo\W*["'`]/i
const missing = /(?:not_?(?:yet_?)?implemented|unimplemented)/i

/** A string of the statement says so. */
const saysSo = (code: string, text: string): boolean =>
  code.includes(hidden) && (saying.test(text) || marking.test(text) || lowerTodo.test(text))

const raises = /^(?:raise|throw|fail)\b/
const ends =
  /^(?:panic!?|fatalError|preconditionFailure|assertionFailure|die|croak|confess|abort|error|sys\.error|fail|bail!|unreachable!|exit|log\.(?:Fatal|Panic)\w*|[tT]\.(?:Skip|Fatal|Error)\w*|pytest\.(?:skip|fail)|XCTFail|Assert\.\w+|std::abort|failwith|stop|revert)(?![\w.])/
const assertsNothing = /^(?:debug_)?assert!?\s*\(?\s*(?:false\b|0\b|False\b|!)/
const prints =
  /^(?:(?:print|println|println!|eprintln!|print!|printf|fprintf|puts|p|pp|echo|say|warn|print_r|error_log|alert|NSLog|debugPrint|Write-(?:Host|Error|Output|Warning))(?![\w.])|(?:console|log|logger|logging|Log|Logger|IO|io|fmt|System\.out|System\.err|Console|Console\.Error|Debug|warnings|std::cout|std::cerr|(?:this|self)\.(?:_?log|_?logger)|_logger)(?:\.\w+|\s*<<))/
const answers =
  /^(?:return\b|Err\b|Left\b|reject\b|cb\b|callback\b|next\b|done\b|errors?\.New|fmt\.Errorf|Promise\.reject|Result\.\w+|Future\.\w+|Effect\.\w+|\{\s*:error\b|\.failure)/
const failsWith =
  /^(?:Err|Left|Failure|(?:Promise|Future|Result|Effect|Task|Mono|Observable)\.(?:reject|fail|failed|die|err|error|From(?:Exception|Error))|throwError)\s*\([\s\S]*(?:not_?(?:yet_?)?implemented|unimplemented)/i
const faults = /err|reject|fail|exception|left\b|\b501\b/i

const isStub = (code: string, text: string): boolean => {
  const said = saysSo(code, text)
  const bare = code.replace(/^(?:return|await|yield|throw)\s+/, "")
  return (
    code === "pass" ||
    /^(?:it|test|describe)\.todo\b/.test(code) ||
    /^(?:todo!|unimplemented!|core::todo!|std::unimplemented!)\s*(?:$|[([{])/.test(bare) ||
    /^(?:TODO|NotImplemented(?:Error|Exception)?|[nN]ot_?(?:[yY]et_?)?[iI]mplemented|[uU]nimplemented|UNIMPLEMENTED|NOT_IMPLEMENTED)(?:\s*\([\s\S]*\))?$/.test(
      bare
    ) ||
    (raises.test(code) && (said || missing.test(code))) ||
    /^throw\s+new\s+(?:\w+\.)*UnsupportedOperationException\s*\(\s*\)$/.test(code) ||
    /^fatalError\s*\(/.test(bare) ||
    (ends.test(code) && (said || missing.test(code))) ||
    (assertsNothing.test(code) && said) ||
    (prints.test(code) && said) ||
    (answers.test(code) && faults.test(code) && said) ||
    failsWith.test(bare) ||
    (/\b501\b/.test(code) && said)
  )
}

// --- values -----------------------------------------------------------------------------------------------------

const nulls =
  /^(?:None|null|nil|<><\/>|undefined|NULL|nullptr|nothing|Nothing|void 0|\(\)|Unit|(?:std::)?nullopt|Optional\.empty\(\)|Option\.empty|default|None::<[\s\S]*>|(?:null|undefined)(?:!| as\b[\s\S]*))$/
const constants =
  /^(?:[tT]rue|TRUE|[fF]alse|FALSE|Nil|-?[01](?:\.0*)?[fFlLuU]*|(["'`])\1|\[\s*\]|\{\s*\}|\(\{\s*\}\)|(?:dict|list|set|tuple|str)\(\)|vec!\[\]|(?:Vec|String|HashMap)::new\(\)|Default::default\(\)|(?:Ok|Some|Promise\.resolve)\((?:\(\)|None|null|undefined|false|true|\[\s*\]|\{\s*\})?\)|new (?:Array|Object|List|ArrayList|HashMap)(?:<[^>]*>)?\(\)|(?:Task|ValueTask)\.CompletedTask)$/

/** The value of a return statement, empty for a bare one; null when it is none. */
const returned = (code: string): string | null => {
  const found = /^return\b\s*([\s\S]*)$/.exec(code)
  return found === null ? null : unwrapped(found[1] ?? "")
}

const unwrapped = (value: string): string => {
  const trimmed = value.trim()
  return trimmed.startsWith("(") &&
    trimmed !== "()" &&
    closing(trimmed, 0) === trimmed.length &&
    !trimmed.startsWith("({")
    ? unwrapped(trimmed.slice(1, -1))
    : trimmed
}

const kindOfValue = (value: string, language: Language, isReturn: boolean): Kind => {
  if (language.name === "shell") {
    if (isNoOp(value, language) || value === "true") return "null"
    return /^(?:false|(?:exit|return)\s*-?\d*)$/.test(value) || (isReturn && /^-?\d*$/.test(value))
      ? "constant"
      : "real"
  }
  if (value === "") return "null"
  if (value === "()" && language.name === "python") return "constant"
  const parts = value.split(",").map((part) => part.trim())
  if (parts.every((part) => nulls.test(part))) return "null"
  return parts.every((part) => nulls.test(part) || constants.test(part)) ? "constant" : "real"
}

// --- statements that hold others --------------------------------------------------------------------------------

/** A condition on one line: `if (x) return null`, `return nil unless x`, `else throw …`. */
const kindOfConditional = (code: string, text: string, language: Language): Kind | null => {
  const suffix = /^([\s\S]*?)\s+(?:if|unless)\s+[\s\S]+$/.exec(code)
  if (
    suffix !== null &&
    ["ruby", "perl", "elixir"].includes(language.name) &&
    !/^(?:if|unless|else|elsif|\w+\s*=)/.test(code)
  )
    return guarded(kindOfStatement(suffix[1] ?? "", text.slice(0, (suffix[1] ?? "").length), language, false))
  const head = /^(?:\}?\s*else\s+)?(if|while|for|foreach|unless)\b\s*(?:constexpr\s*|await\s*)?(?=\()/.exec(code)
  const end =
    head === null ? (/^else\s+(?!(?:if|else)\b)/.exec(code)?.[0].length ?? null) : closing(code, head[0].length)
  if (end === null || language.layout !== "braces") return null
  const inner = kindOfStatement(code.slice(end), text.slice(end), language, false)
  const acts = head !== null && head[1] !== "if" && /[\w\])]\s*\(|\+\+|--/.test(code.slice(head[0].length + 1, end))
  return inner === "nothing" ? (acts ? "real" : "nothing") : guarded(inner)
}

/** What a condition makes of what it guards: a choice between values is work. */
export const guarded = (kind: Kind): Kind =>
  kind === "constant" ? "real" : kind === "stub" || kind === "null" ? "guard" : kind

/** The kind of what follows `=>`, or the `=` of a function; null for other statements. */
const kindOfBodied = (code: string, text: string, language: Language): Kind | null => {
  if (isTypeHead(code)) return "real"
  const start = bodyStart(code, language)
  if (start === null) return null
  if (nulls.test(code.slice(start).trim())) return "null"
  const kind = kindOfStatement(code.slice(start), text.slice(start), language, false)
  // what stands here is the value, also a lone string
  return kind === "nothing" ? "real" : kind
}

const bodyStart = (code: string, language: Language): number | null => {
  const lambda = /^[^(]*=\s*lambda\b[^:]*:/.exec(code)
  if (lambda !== null) return lambda[0].length
  const isFunction = /^(?:[\w@]+\s+)*?(?:fun|def|func|fn)\b/.test(withoutModifiers(code))
  let depth = 0
  let found: number | null = null
  for (let at = 0; at < code.length; at++) {
    const char = code.charAt(at)
    if (char === "(" || char === "[" || char === "{") depth++
    else if (char === ")" || char === "]" || char === "}") depth--
    else if (depth !== 0) continue
    else if (code.startsWith("=>", at)) found = at + 2
    else if (
      code.startsWith("->", at) &&
      ["kotlin", "java", "groovy", "haskell"].includes(language.name) &&
      !isFunction
    )
      found = at + 2
    else if (
      isFunction &&
      found === null &&
      char === "=" &&
      !/[=!<>]/.test(code.charAt(at - 1)) &&
      !/[=>~]/.test(code.charAt(at + 1))
    )
      found = at + 1
  }
  return found !== null && code.slice(found).trim() !== "" ? found : null
}

// --- heads ------------------------------------------------------------------------------------------------------

const modifier =
  /^(?:export|default|declare|public|private|protected|internal|fileprivate|open|static|final|abstract|override|virtual|async|inline|noinline|unsafe|extern|pub(?:\s*\([^)]*\))?|sealed|partial|readonly|suspend|operator|infix|tailrec|external|actual|expect|data|inner|implicit|mutating|nonmutating|required|convenience|indirect|native|strictfp|local|constexpr|consteval|explicit|friend|case(?=\s+(?:class|object))|value(?=\s+class)|const(?=\s+(?:fn|unsafe|async)\b)|synchronized(?=\s+\w)|new(?=\s+\w+\s+\w+\s*\())\b\s*(?:["'][^"']*["']\s*)?/

export const withoutModifiers = (code: string): string => {
  let rest = code.trimStart()
  for (let found = modifier.exec(rest); found !== null && found[0].length < rest.length; found = modifier.exec(rest)) {
    rest = rest.slice(found[0].length)
  }
  return rest.replace(/^template\s*<[^{;]*?>\s*(?=\w)/, "")
}

export const isTypeHead = (code: string): boolean =>
  /^(?:interface|@interface|enum|type|typealias|typedef|union|record|trait|protocol|@protocol|struct|concept|message|service|newtype|annotation)\b(?!\s*[=:.(,])/.test(
    withoutModifiers(code)
  )

const functionWord =
  /^(?:function\b|func\b|fn\b|fun\b|def\b|defp\b|defmacro\b|sub\b|proc\b|macro_rules!|local\s+function\b|(?:init|deinit|subscript|constructor)\b[?!]?\s*(?:[(<{]|$))/
const controlWord =
  /^(?:\}\s*)?(?:if|else|elif|elsif|elseif|for|foreach|while|until|unless|do|try|catch|finally|except|ensure|rescue|begin|switch|case|default|match|when|with|using|lock|unsafe|loop|guard|defer|select|go|repeat|fixed|checked|unchecked|then|synchronized|autoreleasepool|cond|receive|after)\b/
const noCallee =
  /^(?:if|else|for|foreach|while|until|do|try|catch|switch|match|when|with|using|lock|return|new|await|yield|throw|case|delete|typeof|in|of|go|defer|select|guard|assert|synchronized|sizeof|unless)$/

export const isControlHead = (code: string): boolean => controlWord.test(code)

export const isFunctionHead = (code: string, language: Language): boolean => {
  const head = withoutModifiers(code)
  if (functionWord.test(head)) {
    // `fun f() = when (x) {`: the block belongs to an expression
    const value = language.name === "kotlin" || language.name === "scala" ? bodyStart(head, language) : null
    return value === null
  }
  if (language.name === "r") return /\bfunction\s*\([\s\S]*\)$/.test(head.trimEnd())
  const value = assignedValue(head, language)
  if (value !== null) return isFunctionValue(value)
  if (/(?:=>|->)$/.test(head.trimEnd())) {
    return language.regexLiterals || language.name === "dart" || /\)\s*(?:=>|->)$/.test(head.trimEnd())
  }
  if (
    /^(?:get|set|init|add|remove|willSet|didSet)(?:\s*\(\s*\w*\s*\))?$/.test(head.trim()) &&
    language.name !== "shell"
  ) {
    return language.name !== "kotlin" || head.trim() !== "init"
  }
  return language.bareMethods && !controlWord.test(head) && nameBeforeParameters(head) !== null
}

const isFunctionValue = (value: string): boolean =>
  /^(?:(?:async\s*)?(?:function\b|func\b|fn\b|fun\b)|(?:async\s*)?(?:\([\s\S]*\)\s*(?::[^=]*)?|[\w$]+\s*|<[\s\S]*)=>$|\[[^\]]*\]\s*(?:\(|$)|(?:\([\s\S]*\)|\w+)\s*->$)/.test(
    value.trim()
  )

/** What is assigned at the end of a head, or given to a name in an object. */
const assignedValue = (head: string, language: Language): string | null => {
  if (/\boperator\b/.test(head)) return null
  let depth = 0
  for (let at = 0; at < head.length; at++) {
    const char = head.charAt(at)
    if (char === "(" || char === "[" || char === "{") depth++
    else if (char === ")" || char === "]" || char === "}") depth--
    else if (
      depth === 0 &&
      char === "=" &&
      !/[=!<>+\-*/%&|^]/.test(head.charAt(at - 1)) &&
      !/[=>~]/.test(head.charAt(at + 1))
    )
      return head.slice(at + 1)
  }
  const property = language.regexLiterals ? new RegExp(`^(?:[\\w$]+|["'][${hidden}]*["'])\\s*:`).exec(head) : null
  return property === null ? null : head.slice(property[0].length)
}

const suffixes =
  /^\s*(?:$|:|->|=$|const\b|noexcept\b|override\b|final\b|throws\b|throw\b|where\b|async\b|try\b|mutable\b|volatile\b|&|\[\[|__attribute__|requires\b|sync\b)/

/** The name in `int add(int a, int b) const`; null when the head is no function's. */
export const nameBeforeParameters = (head: string): string | null => {
  const open = head.indexOf("(")
  if (open === -1) return null
  const name = new RegExp(
    `(operator\\s*(?:\\(\\)|\\S+)|~?[\\w$#]+|["'][${hidden}]*["']|\\])\\s*(?:<[^()]*>)?\\s*$`
  ).exec(head.slice(0, open))?.[1]
  if (name === undefined || noCallee.test(name) || noCallee.test(/^\w*/.exec(head)?.[0] ?? "")) return null
  return suffixes.test(head.slice(closing(head, open))) ? name : null
}

/** A declaration without a body: abstract, in an interface, or a prototype. */
export const isSignature = (code: string, language: Language): boolean => {
  const head = withoutModifiers(code)
  if (functionWord.test(head)) return bodyStart(head, language) === null
  return (
    /\babstract\b/.test(code) || (language.semicolons && !head.includes("=") && nameBeforeParameters(head) !== null)
  )
}
