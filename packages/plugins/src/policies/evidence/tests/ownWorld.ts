/**
 * Tests of JavaScript and Python that use nothing but what they make themselves: values, functions, doubles. They show
 * nothing of a program. Whatever may come from elsewhere counts as such: a name that nothing here explains, a fixture, what
 * an import may have changed. `code` has its comments blanked and its strings hidden.
 */
import { isScript } from "../code/families.ts"

/** A test, as it is looked at. */
interface Tested {
  /** Its body. */
  readonly code: string
  /** The same with strings. */
  readonly text: string
  /** What leads to it, strings hidden: parameters, and what they are given. */
  readonly head: string
}

interface Rules {
  /** Names that say nothing of a program: of the language, of what runs tests, and of what makes doubles. */
  readonly known: ReadonlySet<string>
  /** Names of that kind where the test is given them. */
  readonly given: ReadonlySet<string>
  /** What a file makes such a name mean something else by: where it is declared, and imported. */
  readonly otherwise: ReadonlyArray<RegExp>
  readonly imported: RegExp
  /** Where names are bound; all words of the first group are. */
  readonly bound: ReadonlyArray<RegExp>
  /** What is only said of types, and names that are no values: keys, arguments by name. */
  readonly blank: ReadonlyArray<RegExp>
  /** Strings that hold code, and where it stands in them. */
  readonly inStrings: readonly [strings: RegExp, code: RegExp]
  /** Names of a whole file that are bound to doubles. */
  readonly doubles: RegExp
}

const listed = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const script: Rules = {
  known: listed(
    `as async await break case catch class const continue default delete do else extends false finally for from function get if in
     instanceof let new null of return set static super switch throw true try typeof undefined var void while yield satisfies
     string number boolean unknown any never object Infinity NaN JSON Object Array String Number Boolean Promise Error TypeError
     RangeError Map Set WeakMap WeakSet Date Math Symbol BigInt RegExp console setTimeout clearTimeout
     expect assert should vi jest sinon mock mocked mockDeep createMock td test it chai`
  ),
  given: listed("t done"),
  otherwise: [
    /(?<![\w$.])(?:function\s*\*?|class)\s+([\w$]+)/g,
    /(?<![\w$.])(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]*)?=(?!\s*(?:await\s+)?(?:require|import|chai|vi|jest|sinon|mock|global\w*)\b)/g
  ],
  imported: /^\s*import\s+(?!type\b)(.*?)\s+from\s*["']([.@#~/][^"'\n]*)["']/s,
  bound: [
    /\b(?:const|let|var)\s+([\w$]+)/g,
    /\b(?:const|let|var)\s*([{[][^=;]*[}\]])\s*(?::[^=;]*)?=/g,
    /\bfor\s*(?:await\s*)?\(\s*(?:const|let|var)\s*([^;()]*?)\s+(?:of|in)\b/g,
    /\b(?:function\s*\*?|class)\s+([\w$]+)/g,
    /\bfunction\b[^()]*\(([^()]*)\)/g,
    /\(([^()]*)\)\s*(?::[^=;{}]*)?=>/g,
    /(?<![\w$.)])([\w$]+)\s*=>/g,
    /\bcatch\s*\(([^()]*)\)/g
  ],
  blank: [
    /(?<=\b(?:const|let|var)\s+[\w$]+\s*):[^=;\n]+(?==)/g,
    /\b(?:as|satisfies)\s+[\w$.]+(?:<[^<>()]*>)?(?:\[\])*/g,
    /(?<=[{,]\s*)[\w$]+\s*(?=:)/g
  ],
  inStrings: [/`(?:[^`\\]|\\[\s\S])*`/g, /\$\{([^{}]*)\}/g],
  doubles:
    /(?<![\w$.])(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]*)?=\s*(?:\{\s*[\w$]+\s*:\s*)?(?:vi|jest|sinon|mock)\.(?:fn|stub|spy|fake)\b/g
}

const python: Rules = {
  known: listed(
    `and as assert async await break class continue def del elif else except finally for from global if in is lambda nonlocal not
     or pass raise return try while with yield match case True False None
     Exception BaseException ArithmeticError AssertionError AttributeError FileNotFoundError IndexError KeyError LookupError
     NotImplementedError OSError PermissionError RuntimeError StopIteration TimeoutError TypeError ValueError ZeroDivisionError
     pytest unittest mock Mock MagicMock AsyncMock PropertyMock patch call ANY sentinel mocker raises`
  ),
  given: listed(""),
  otherwise: [/^(?:async\s+)?(?:def|class)\s+(\w+)/gm, /^(\w+)\s*(?::[^=\n]*)?=(?!=)/gm],
  imported: /^\s*from\s+(?!unittest\b|mock\b|pytest\b)[\w.]+\s+import\s+([^#]*)/,
  bound: [
    /^[ \t]*([A-Za-z_][\w, \t]*?)(?::[^=\n]*)?[ \t]+(?:[-+*/%|&^]|\/\/|\*\*|<<|>>)?=(?!=)/gm,
    /\bfor\s+([\w\s,()]+?)\s+in\b/g,
    /\bas\s+(\w+)/g,
    /\b(?:def|class)\s+(\w+)/g,
    /\bdef\s+\w+\s*\(([^()]*)\)/g,
    /\blambda\b([^:\n]*):/g,
    /(\w+)\s*:=/g
  ],
  blank: [
    /(?<=^[ \t]*\w+[ \t]*):[ \t]*[A-Za-z_][\w.[\], |"]*(?==)/gm,
    /(?<=[(,]\s*)\w+\s*=(?!=)/g,
    /\bself\s*\.\s*(?:assert(?:(?:Not)?(?:Equals?|AlmostEquals?|In|IsInstance|Regex)|(?:Is|IsNot)(?:None)?|True|False|(?:Raises|Warns)(?:Regexp?)?|(?:No)?Logs|(?:Greater|Less)(?:Equal)?|RegexpMatches|(?:Count|Items|MultiLine|Sequence|List|Tuple|Set|Dict)Equal|DictContainsSubset)|fail|subTest|addCleanup)\b/g
  ],
  inStrings: [/\b(?:[rR]?[fF]|[fF][rR])("""|'''|"|')[\s\S]*?\1/g, /\{([^{}]*)\}/g],
  doubles: /^(\w+)\s*=\s*(?:unittest\.)?(?:mock\.)?(?:Magic|Async)?Mock\(/gm
}

const rulesOf = (language: string): Rules | null =>
  isScript(language) ? script : language === "python" ? python : null

/** What a file says for all of its tests; null: nothing is known, for its imports may change what is there without a name. */
export interface World {
  readonly rules: Rules
  readonly known: ReadonlySet<string>
  /** Names of doubles. */
  readonly doubles: ReadonlySet<string>
}

/** `plain`: the whole file. */
export const worldOf = (
  language: string,
  plain: Pick<Tested, "code" | "text">,
  imports: ReadonlyArray<string>
): World | null => {
  const rules = rulesOf(language)
  if (rules === null || imports.some((said) => /^\s*import\s*["']|^\s*require\s*\(|\bimport\s*\*\s*$/.test(said)))
    return null
  const doubles = [...plain.code.matchAll(rules.doubles)].map(([, name = ""]) => name)
  const others = new Set([
    ...rules.otherwise.flatMap((form) => [...plain.code.matchAll(form)].map(([, name = ""]) => name)),
    ...imports.flatMap((said) => wordsIn(rules.imported.exec(said)?.[1] ?? ""))
  ])
  return {
    rules,
    known: new Set([...rules.known].filter((name) => !others.has(name))),
    doubles: new Set([...doubles, ...namesOfDoubles(plain.text, imports)])
  }
}

/** What is imported from a module that doubles take the place of as a whole: `vi.mock("./mail")`. */
const namesOfDoubles = (text: string, imports: ReadonlyArray<string>): ReadonlyArray<string> => {
  const modules = [...text.matchAll(/(?<![\w$.])(?:vi|jest)\.mock\(\s*(["'])([^"'\n]+)\1\s*\)/g)].map(
    ([, , path]) => path
  )
  return imports.flatMap((said) => {
    const [, names = "", path] = /^\s*import\s+(?!type\b)(.*?)\s+from\s*["']([^"'\n]+)["']/s.exec(said) ?? []
    return path !== undefined && modules.includes(path) ? wordsIn(names) : []
  })
}

const wordsIn = (text: string): ReadonlyArray<string> => text.match(/[A-Za-z_$][\w$]*/g) ?? []

/** Characters: a longer test does something. */
const maxTest = 20_000

/** What is loaded by its path, by whatever does that. */
const pathOfModule = /["'`]\.{1,2}\//

/** Of a list of parameters or a pattern: the names that it binds, without types and what they are given where they are left out. */
const boundIn = (text: string): ReadonlyArray<string> =>
  wordsIn(text.replace(/<[^<>]*>/g, "").replace(/[:=][^,}\])]*/g, ""))

/** Whether it uses nothing but what it makes itself. */
export const usesNothingElse = ({ code, head, text }: Tested, { doubles, known, rules }: World): boolean => {
  const { blank, bound, given, inStrings } = rules
  if (code.length > maxTest || pathOfModule.test(text)) return false
  const [strings, inside] = inStrings
  const inner = (text.match(strings) ?? []).flatMap((one) => [...one.matchAll(inside)].map(([, said = ""]) => said))
  // long runs of blanks would be searched again and again
  const said = [code, ...inner]
    .join("\n")
    .replace(/[ \t]+/g, " ")
    .replace(/(?:\n ?)+/g, "\n")
  const own = new Set(bound.flatMap((form) => [...said.matchAll(form)].flatMap(([, names = ""]) => boundIn(names))))
  const parameters = wordsIn(/\bdef\s+\w+\s*\(([^()]*)\)/.exec(head)?.[1] ?? "")
  // what else is given to a test is made elsewhere, also where something in it has the same name
  const patched = /@(?:[\w.]+\.)?patch\b/.test(head) ? parameters.filter((name) => name !== "self") : []
  for (const name of parameters) if (!patched.includes(name)) own.delete(name)
  const heads = new Set(wordsIn(head))
  const isOwn = (word: string): boolean =>
    known.has(word) ||
    (given.has(word) && heads.has(word)) ||
    own.has(word) ||
    doubles.has(word) ||
    patched.includes(word)
  const values = blank.reduce((left, form) => left.replace(form, (part) => " ".repeat(part.length)), said)
  const names = [...values.matchAll(/(?<![\w$]|(?<!\.\.)\.\s*)[A-Za-z_$][\w$]*/g)].map(([word]) => word)
  return names.length > 0 && names.every(isOwn)
}
