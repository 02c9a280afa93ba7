import { familyOf } from "../code/families.ts"

/**
 * Assertions that every text fits: `toMatch(/.*$/)`, `toContain("")`, `assert x.startswith("")`. `code` has its strings hidden, `text`
 * has them; `name` is what leads to the test. Of a list it may well be asked whether something empty is in it.
 */
export const fitsAnything = (
  code: string,
  text: string,
  name: string,
  language: string
): ReadonlyArray<readonly [from: number, to: number]> => {
  const family = /^(?:java|kotlin)$/.test(language) ? "jvm" : familyOf(language)
  const mayAskForEmpty = ofEmpty.test(name) || ofEmpty.test(code)
  const forms = [...(byLanguage[family] ?? []), ...(mayAskForEmpty ? [] : (emptyIn[family] ?? []))]
  return forms.flatMap((form) =>
    [...text.matchAll(form)].map(({ 0: all, index }) => [index, index + all.length] as const)
  )
}

const ofEmpty =
  /array|blank|chunks|columns|default|element|empty|entries|fields|items|keys|leading|lines|list|\bmap|members|names|options|parts|pieces|rows|set\b|split|tags|token|trailing|values|words|\[\s*\w+\s*\]\s*(?:[,)]|$)/im

const given = String.raw`(?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*`
const nothing = `(?:""|'')`
/** A pattern without anything, or for any number of any signs. */
const any = String.raw`(?:\^|\^?\.\*\??|\.\*\$|\^?\[(?:\\s\\S|\\S\\s|\\d\\D|\\w\\W|\^)\]\*\$?)?`
const slashed = String.raw`\/(?!\/)${any}\/[a-z]*`
const quoted = `[rR]?(?:"${any}"|'${any}')`
const all = (...forms: ReadonlyArray<string>): ReadonlyArray<RegExp> => forms.map((form) => new RegExp(form, "g"))

/** Both of them, in any order. */
const anyBoolean = (yes: string, no: string): string =>
  `(?:${yes}\\s*,\\s*${no}|${no}\\s*,\\s*${yes})(?:\\s*,\\s*(?:None|null|undefined))*`

const byLanguage: Readonly<Record<string, ReadonlyArray<RegExp>>> = {
  script: all(
    String.raw`\bexpect\s*\(\s*\[\s*${anyBoolean("true", "false")}\s*\]\s*\)\s*\.\s*(?:toContain(?:Equal)?|to\.(?:include|contain))\s*\(${given}\)`,
    String.raw`\bexpect\s*\(${given}\)\s*\.\s*(?:toBeOneOf|to\.be\.oneOf)\s*\(\s*\[\s*${anyBoolean("true", "false")}\s*\]\s*\)`,
    String.raw`\bexpect\s*\(${given}\)\s*\.\s*toMatch\s*\(\s*(?:${slashed}|${nothing})\s*\)`,
    String.raw`\bexpect\s*\(${given}\)\s*\.\s*to\.match\s*\(\s*${slashed}\s*\)`,
    String.raw`\bexpect\s*\(${given}\)\s*\.\s*to(?:Equal|StrictEqual)\s*\(\s*expect\.string(?:Containing\s*\(\s*${nothing}|Matching\s*\(\s*${slashed})\s*\)\s*\)`,
    String.raw`\bassert\.match\s*\(${given},\s*${slashed}\s*\)`,
    // of what is written there nothing else can come
    String.raw`\bexpect\s*\(\s*\[\s*[\w$.]+\(${given}\)\s*\]\s*\)\s*\.\s*toHaveLength\s*\(\s*1\s*\)`,
    String.raw`\bexpect\s*\(\s*(?:typeof\s${given}|String\s*\(${given}\))\s*\)\s*\.\s*toEqual\s*\(\s*expect\.any\s*\(\s*String\s*\)\s*\)`,
    String.raw`\bexpect\s*\(\s*(Boolean|Number)\s*\(${given}\)\s*\)\s*\.\s*toEqual\s*\(\s*expect\.any\s*\(\s*\1\s*\)\s*\)`,
    String.raw`\bexpect\s*\(\s*(\{[\w$\s,:.]*\}|\[[\w$\s,.]*\])\s*\)\s*\.\s*to(?:Equal|StrictEqual|MatchObject)\s*\(\s*\1\s*\)`,
    String.raw`\bexpect(?:\.soft)?\s*\(${given}\)\s*\.\s*not\s*\.\s*toBe\s*\(\s*(?:Symbol\s*\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\])\s*\)`
  ),
  python: all(
    String.raw`(?<=^|\n)[ \t]*assert[ \t]+[^\n]*?[ \t]in[ \t]*[([{]\s*${anyBoolean("True", "False")}\s*,?\s*[)\]}][ \t]*(?=\n|$)`,
    String.raw`(?<=^|\n)[ \t]*assert[ \t]+([^\n]+?)[ \t]+(?:is|==)[ \t]+(?:True|False)[ \t]+or[ \t]+\1[ \t]+(?:is|==)[ \t]+(?:True|False)[ \t]*(?=\n|$)`,
    String.raw`\bself\.assertIn\(${given},\s*[([{]\s*${anyBoolean("True", "False")}\s*,?\s*[)\]}]\s*\)`,
    String.raw`(?<=^|\n)[ \t]*assert[ \t]+re\.(?:match|search)\(\s*${quoted}\s*,${given}\)[ \t]*(?=\n|$)`,
    String.raw`(?<=^|\n)[ \t]*assert[ \t]+[^\n]*\.(?:starts|ends)with\(\s*${nothing}\s*\)[ \t]*(?=\n|$)`,
    String.raw`\bself\.assertRegex(?:pMatches)?\(${given},\s*${quoted}\s*\)`,
    // nothing is a list that is made there, and nothing equals NaN
    String.raw`(?<=^|\n)[ \t]*assert[ \t]+[^\n]+?[ \t]+is[ \t]+not[ \t]+(?:\[[^\[\]\n]*\]|\{[^{}\n]*\})[ \t]*(?=\n|$)`,
    String.raw`(?<=^|\n)[ \t]*assert[ \t]+[^\n]+?[ \t]*!=[ \t]*(?:float\(\s*["']nan["']\s*\)|(?:math|np|numpy)\.nan)[ \t]*(?=\n|$)`,
    String.raw`(?<=^|\n)[ \t]*assert[ \t]+([A-Za-z_]\w*)[ \t]+in[ \t]+(?:\[[ \t]*\1[ \t]*\]|\{[ \t]*\1[ \t]*\}|\([ \t]*\1[ \t]*,[ \t]*\))[ \t]*(?=\n|$)`,
    // what comes second is only said when it fails
    String.raw`\bself\.assertTrue\(\s*(?:[1-9]\d*|True|"[^"\n]+"|'[^'\n]+')\s*,${given}\)`
  ),
  go: all(
    String.raw`\b(?:assert|require)\.NotNil\(\s*t\s*,\s*(?:&?[A-Z]\w*\{|\[\][\w.*]+\{|map\[\w+\][\w.*]+\{)${given}\)`,
    String.raw`\b(?:assert|require)\.Regexp\(\s*t\s*,\s*(?:"${any}"|\x60${any}\x60)\s*,${given}\)`
  ),
  ruby: all(
    String.raw`\bexpect\s*\(${given}\)\s*\.to[ \t]+be_truthy\.or[ \t(]+be_fals(?:e)?y\)?`,
    String.raw`\bexpect\s*\(${given}\.(?:length|size|count)\s*\)\s*\.to[ \t]+be[ \t]*>=[ \t]*0(?=\s*\n|\s*$)`,
    String.raw`\bexpect\s*\{[^{}\n]*\}\s*\.(?:not_to|to_not)[ \t]+be_nil`,
    String.raw`\bexpect\s*\(\s*\[\s*${anyBoolean("true", "false")}\s*\]\s*\)\s*\.to[ \t]+include[ (]${given}\)?`,
    String.raw`\bexpect\s*\(${given}\)\s*\.to[ \t]+match[ (]+${slashed}\)?`,
    String.raw`\bassert_match[ (]+${slashed}\s*,${given}(?:\)|(?=\n))`
  ),
  php: all(
    String.raw`(?:->|::)assertGreaterThanOrEqual\(\s*0\s*,\s*(?:count|strlen|sizeof)\(${given}\)\s*\)`,
    String.raw`(?:->|::)assertIsString\(\s*\(string\)${given}\)|(?:->|::)assertIsInt\(\s*\(int\)${given}\)|(?:->|::)assertIsArray\(\s*\(array\)${given}\)`,
    String.raw`(?:->|::)assertMatchesRegularExpression\(\s*(?:"\/${any}\/[a-z]*"|'\/${any}\/[a-z]*')\s*,${given}\)`
  ),
  jvm: all(
    String.raw`\bassertDoesNotThrow\s*\(\s*\(\s*\)\s*->\s*\{\s*\}\s*\)`,
    String.raw`\bassertThat\s*\(${given}\)\s*\.\s*(?:matches|containsPattern)\s*\(\s*"${any}"\s*\)`
  ),
  csharp: all(String.raw`\bAssert\.Matches\(\s*@?"${any}"\s*,${given}\)`)
}

/** Whether an empty text is in something. */
const emptyIn: Readonly<Record<string, ReadonlyArray<RegExp>>> = {
  script: all(String.raw`\bexpect\s*\(${given}\)\s*\.\s*(?:toContain|to\.(?:include|contain))\s*\(\s*${nothing}\s*\)`),
  python: all(
    String.raw`(?<=^|\n)[ \t]*assert[ \t]+${nothing}[ \t]+in[ \t]+[^\n]*`,
    String.raw`\bself\.assertIn\(\s*${nothing}\s*,${given}\)`
  ),
  go: all(String.raw`\b(?:assert|require)\.Contains\(\s*t\s*,${given},\s*""\s*\)`),
  ruby: all(
    String.raw`\bexpect\s*\(${given}\)\s*\.to[ \t]+include[ (]+${nothing}\)?`,
    String.raw`\bassert_includes[ (]+${given},\s*${nothing}\)?`
  ),
  php: all(String.raw`(?:->|::)assertStringContainsString\(\s*${nothing}\s*,${given}\)`),
  jvm: all(String.raw`\bassertThat\s*\(${given}\)\s*\.\s*(?:contains|startsWith|endsWith)\s*\(\s*""\s*\)`),
  rust: all(String.raw`\bassert!\(\s*[^;\n]*\.(?:contains|starts_with|ends_with)\(\s*""\s*\)\s*\)`),
  csharp: all(String.raw`\bAssert\.(?:Contains|StartsWith|EndsWith)\(\s*""\s*,${given}\)`)
}
