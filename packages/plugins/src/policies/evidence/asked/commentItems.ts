import { saidOf } from "./said.ts"

/** What items ask for that concerns comments, by their words alone. */

/**
 * Whether the text of an item asks for comments or documentation of code, and for nothing else. Only what is plainly so
 * counts: an item that asks for code, also beside its documentation, is never shown by a comment. Pure.
 */
export const asksForComments = (item: string): boolean => {
  const text = asAsked(saidOf(item))
  if (forDocumentation.test(item.trim()) && !/\bimplement\w*\b/i.test(text) && !ofNewCode.test(text)) return true
  if (/[\u3040-\u30ff\u4e00-\u9fff]/.test(text)) return inJapanese(text)
  const [first = "", ...more] = text.split(/[.;:]\s+|,\s+|\s+(?:and|then|plus)\s+/i)
  if (/\bso that (?:it|they) (?!says?|explains?|describes?|mentions?|tells?|names?|lists?)/i.test(text)) return false
  if (/\b(?:implement(?:s|ed|ing)?|refactor\w*)\b|\b(?:after|before|by|while) \w+ing\b/i.test(text)) return false
  if (/\btests?\b(?! comments?\b)/i.test(text) && !onlySays.test(text)) return false
  return [first, ...more.filter((clause) => work.test(clause))].every(isOfComments)
}

/** Whether a file holds nothing but the documentation of its package, and an item asks for that file: `Add doc.go`. */
export const asksForPackageComment = (item: string, path: string): boolean => {
  const name = /(?:^|\/)(doc\.go|package-info\.java)$/.exec(path)?.[1]
  return name !== undefined && item.includes(name)
}

/** Of how a change is named by convention: `docs(api): …`. */
const forDocumentation =
  /^(?:[-*+•]\s+)?(?:(?:(?:\w+ )?(?:docs?|documentation)|javadocs?|jsdocs?|doc-?strings?)(?:\([^()\n]{1,60}\))?!?:|\[docs?\]:?)\s/i

/** Something that is to be written under that name all the same: `docs: add a function that lists the pages`. */
const ofNewCode =
  /^(?:add|build|create|introduce|provide|write) (?:an? |the )?(?:(?!missing\b)[\w-]+ ){0,2}?(?:functions?|methods?|class(?:es)?|commands?|endpoints?|scripts?|plugins?|components?)(?=$|[.,]| (?:that|which|to) (?!(?:the )?(?:docs?|documentation|readme|guide|reference|manual|changelog)\b))/i

/** `Properly documented f()`, as one asks for it: `Document f()`. */
export const asAsked = (text: string): string =>
  text
    .replace(/^(?:properly|better(?! (?:[\w-]+ ){0,2}doc)|fully|briefly|thoroughly|correctly)\s+/i, "")
    .replace(inflected, (word) => asked.get(word.toLowerCase()) ?? word)

const strong = `(?:doc[- ]?strings?|(?:js|ts|go|rust|java|k|r|php|xml|yar)-?docs?|doxygen|doc ?blocks?|doc(?:umentation)? comments?)`
export const noun = `(?:${strong}|comments?)`
/** What is written of code that is named, or of a product. */
const broad = `(?:${noun}|documentation|docs)`
const editing =
  "extend|expand|enhance|update|correct|improve|complete|fix|revise|rewrite|reword|rephrase|clarify|shorten|amend|adjust|adapt|refresh|translate|polish|change|edit"
const adding = "add|write|put|insert|give|provide|create"
const saying = "document|describe|explain|annotate|state|say|note|mention|clarify"
const says = "(?:say|mention|state|describe|explain|tell|name|list|note)s?"
/** Those verbs by the forms in which a list of what was done has them: `clarified`, `clarifies`, `clarifying`. */
const asked: ReadonlyMap<string, string> = new Map(
  `${editing}|${adding}|${saying}|comment|tweak|tidy|clean`.split("|").flatMap((verb) => {
    const stem = verb.replace(/e$/, "")
    const past = /[^aeo]y$/.test(verb)
      ? [`${verb.slice(0, -1)}ied`, `${verb.slice(0, -1)}ies`]
      : [`${stem}ed`, `${verb}s`]
    return [...past, `${stem}ing`].map((form) => [form, verb] as const)
  })
)
const inflected = /^[a-z]+/i

/**
 * Whether an item asks for comments of what the file is called by: `Fix the comments of the parser` in `parser.ts`, `Explain why the
 * service waits` in `app.service`.
 */
export const asksForCommentsHere = (item: string, path: string): boolean => {
  const [, unit] = /\.(service|socket|timer|mount)$/.exec(path) ?? []
  if (unit !== undefined && asksForComments(item.replace(new RegExp(`\\b${unit}s?\\b`, "gi"), "unit"))) return true
  const text = asAsked(saidOf(item))
  const name = ofFile.exec(text)?.[1]?.toLowerCase()
  const own = path.toLowerCase().replace(/^.*\/|\.\w+$/g, "")
  return name !== undefined && own.includes(name) && !isOfProduct(text.replace(/\b(?:parser|lexer|token\w*)\b/gi, ""))
}
const ofFile = new RegExp(
  `^(?:${adding}|${editing}|clean) (?:(?:an?|the|some|more|missing) ){0,2}comments? (?:about|for|in|of|on) (?:the )?([\\w-]{3,})\\.?$`,
  "i"
)

/** The noun is what is written, and not a part of another one. */
const ends = String.raw`(?=$|[.,;:)]|\s+(?:to|for|of|in|on|that|which|above|before|at|about|describing|explaining|with)\b)`
/** Words between a verb and what it is about. */
export const between = String.raw`(?:(?!(?:with|and|to|for|that|in|from|of|on|by|which)\b)[\w-]+ ){0,4}?`

const work =
  /^(?:(?:and|then|also|please|finally)\s+)*(?:add|create|build|make|write|fix|handle|support|return(?!\s+(?:values?|types?|codes?)\b)|throw|raise|rename|extract|move|validate|reject|ensure|change|replace|expose|store|send|update|use|call|let)\b|^(?:(?:and|then|also|please|finally)\s+)*(?:count|skip|log|cache|sort|check|parse|read|load|save|remove|delete|drop|set|get|show|print|run|convert|compute|calculate|allow|enable|disable|refuse|accept|filter|merge|split|retry|close|open|stop|start|limit|round|trim|escape|register|emit|fetch|render|display|hide|keep|avoid|optimi[sz]e|speed|implement|replace|rewrite)\s+(?!(?:of|values?|types?|codes?|names?|parameters?|arguments?|results?|order|keys?|modes?|flags?|options?|functions?|methods?|class(?:es)?|(?:doc-?)?(?:strings?|comments?)|(?:js|go|ts|rust|java)docs?|the (?:doc|comment|documentation)\w*)\b)\S/i

/** It begins with a word that can ask for nothing but words. */
const onlySays = /^(?:comment|document|explain|clarify|mention)\b/i

/** Of a product that has comments of its own. */
const ofProduct =
  /\b(?:students?|courses?|attachments?|reviews?|diffs?|posts?|blogs?|articles?|users?|threads?|tickets?|issues?|repl(?:y|ies)|apis?|endpoints?|routes?|tables?|models?|forms?|pages?|databases?|moderat\w+|feature|system|service|section|button|parser|lexer|token\w*)\b/i

const codeNoun =
  "(?:functions?|methods?|class|module|constants?|regular expressions?|regex|loops?|algorithm|code|branch|condition|fields?|properties|property|attributes?|scripts?|files?|packages?|structs?|interfaces?|enums?|types?|variables?|imports?|lines?|blocks?|hooks?|expressions?|calculations?|formulas?|return|numbers?|options?|parameters?|arguments?|statements?|quer(?:y|ies)|macros?|traits?|impls?|workarounds?)"
export const ofCode = new RegExp(String.raw`\([^()\s]{0,60}\)|\b${codeNoun}\b`, "i")

const isOfComments = (clause: string): boolean => {
  const text = clause.trim()
  if (forms.some((form) => form.test(text)) || isOfWording(text)) return true
  if (isProducts(text.replace(/\bapi (?=docs?\b|documentation\b)/i, ""))) return false
  const names = codeNamesIn(text)
  const isDocumenting = (one: string): boolean => documenting.some((form) => form.test(one))
  if (
    !isShownToPeople(text.replace(inDocumentation, "")) &&
    (isDocumenting(text) || names.some((name) => isDocumenting(text.replaceAll(name, "NAME"))))
  )
    return true
  if (
    explaining.some((form) => form.test(text)) &&
    !(mayTell.test(text) && (isShownToPeople(text) || happening.test(text)))
  )
    return true
  return (
    ((ofCode.test(text) || names.length > 0) && weak.some((form) => form.test(text))) ||
    names.some((name) =>
      [...named, ...(/[`(.#_]/.test(name) ? commented : [])].some((form) => form.test(text.replaceAll(name, "NAME")))
    )
  )
}

/** Whether a text speaks of a product that has comments of its own. */
export const isOfProduct = (text: string): boolean => isProducts(text) || ofProductInJapanese.test(text)

const isProducts = (text: string): boolean => ofProduct.test(spoken(text))

/** With the words of names by themselves: `BlogPost`. What is written as code is no product: `get_user()`. */
const spoken = (text: string): string => {
  const words = text.replace(/`[^`]*`|[\w$.:#]+\([^()\s]{0,60}\)/g, "NAME")
  return `${words} ${words.replace(/(?<=[a-z\d])(?=[A-Z])|_/g, " ")}`
}

/** Whether an item asks to mend words that no program says: `Fix a typo in doc/man.go`, `Fix the link to Record`. */
export const asksForWording = (item: string): boolean => isOfWording(asAsked(saidOf(item)))

const isOfWording = (text: string): boolean =>
  (mistaken.test(text) ||
    onlyMistakes.test(text) ||
    corrected.some((form) => form.test(text)) ||
    (mended.test(text) && !faulty.test(text))) &&
  !isShownToPeople(text) &&
  // what comments are to agree with may be anything
  !isProducts(text.replace(/\bcomments? to (?:match|reflect) .*$/i, "comments"))

/** Nothing but that: `Typos`, `Small typo in the guide`. */
const onlyMistakes =
  /^(?:(?:an?|another|few|minor|more|small|some|tiny) ){0,3}typos?(?: fix(?:es)?)?(?: in .{1,60})?(?: \[[\w ]+\])?\.?$|^(?:minor |small )?spell(?:ings?)? (?:checks?|correct(?:ed|ions?)|errors?(?: fixed)?|fix(?:es|ed)?)\.?$/i
const mistaken =
  /^(?:adjust|improve|polish|tweak)(?:s|ed)? (?:the |some )?wording\b|^(?:fix|correct)(?:es|s)? (?:.{0,60} )?(?:typos?|spelling|misspell\w*|grammar|grammatical|wording|punctuation|(?:broken |dead |markdown |md |intra-doc )?(?<!\b(?:symbolic|sym|hard|soft)[ -]?)links?(?= (?:in|to|of)\b))(?![\w-])/i
const mended =
  /^(?:fix|correct|clarify|reword|rephrase|improve|update)(?:es|s)? .{1,80} in (?:(?:the|an?|some|all) )?(?:[\w`()$.]+ ){0,2}(?:(?:documentation|docs|comments?)(?: of .{1,60})?|examples? (?:in|of|for) .{1,60})$/i
/** What comments say is to be something else. */
const corrected = [
  /^(?:fix|correct|update|replace|remove|repair) (?:the |an? |some |all )?(?:dead|broken|outdated|stale|wrong) (?:[\w-]+ )?links?\.?$/i,
  /^(?:remove|delete|drop) (?:the |an? |some )?(?:doubled?|duplicated?|redundant|repeated|repetitive) words?\.?$/i,
  /^(?:remove|delete|drop) (?:the |an? |some )?(?:[\w-]+ )?(?:words?|letters?|sentences?|typos?) (?:in|from) (?:the |an? |some )?(?:\w+ )?(?:comments?|docs?|documentation|doc-?strings?)\.?$/i,
  /^(?:update|correct|fix|improve|clarify|reword|rephrase) (?:the )?comments? at the (?:top|beginning|start|end) of /i,
  /^(?:update|correct|fix|improve|clarify|reword|rephrase) (?:the )?(?:[\w-]+ ){1,3}comments? (?:for|about|on|regarding|concerning|to (?:say|explain|mention)) /i,
  /^(?:update|correct|fix|improve|clarify|reword|rephrase|adjust|adapt) (?:the )?(?:[\w-]+ ){0,3}comments? to (?:match|reflect) /i,
  /^(?:update|correct|fix|remove|reword|rephrase) (?:the |an? )?comments? (?:that|which) (?:says?|said|mentions?|mentioned|refers?|referred|describes?|described|is|are|was|were)\b/i,
  /^(?:drop|mention|refer to|remove|use) \S.{0,80} (?:from|in) (?:the )?(?:(?:xml|js|ts|go|rust|java|k|php)-?docs?|doc-?strings?)\.?$/i,
  /^refer to \S.{0,80} in (?:the )?comments\.?$/i,
  /^comments?\.?$/i,
  new RegExp(
    `^(?:clean(?: up)?|correct|fix|reword|rephrase|tidy(?: up)?|update)(?:es|s)? (?:(?:all|an?|few|more|outdated|some|the|wrong) ){0,3}comments?(?: (?:above|for|in|of|on) (?:the )?(?:${codeNoun}|[\\w/-]+\\.[a-z]{1,5}|\\S+\\(\\)))?\\.?$`,
    "i"
  ),
  /^(?:replace|change|rename) \S.{0,60} (?:with|to|by) \S.{0,60} in (?:the )?(?:(?:js|ts|go|rust|java|k|php)-?docs?|(?:[\w-]+ )?comments?|doc-?strings?)\.?$/i,
  /^(?:update|correct|fix|improve|clarify|reword|rephrase) (?:the |an? |all )?(?:(?:[\w-]+ )?(?:block|class|confusing|file|header|incorrect|inline|method|misleading|module|obsolete|old|outdated|stale|tag|test|trailing|version|wrong) )(?:\w+ )?comments?(?: (?:at|on) the (?:top|beginning|start|end) of .*|$|\.$)/i
]
const faulty =
  /\b(?:bugs?|crash\w*|exceptions?|leaks?|failures?|timeouts?|handling|rendering|loading|sorting|ordering|pagination|building|builds?|generation|search)\b/i
/** What came to pass while a program ran, which it tells itself: `why loading failed`, `when the file was read`. */
const happening =
  /\bwhy (?:the )?\w+ing (?:failed|crashed|was refused)\b|\bwhen (?:\w+ ){1,4}(?:was|were) (?:last |first )?(?:closed|created|deleted|downloaded|fetched|loaded|modified|opened|read|received|saved|seen|sent|started|stopped|updated|uploaded)\.?$/i
/** What may be asked of a program too. */
const mayTell = /^(?:explain|mention|note|clarify)\b/i
/** Whether a text speaks of what a program says, or has names for. */
export const isShownToPeople = (text: string): boolean =>
  shownToPeople.test(codeNamesIn(text).reduce((left, name) => left.replaceAll(name, "NAME"), text))

const shownToPeople =
  /\b(?:messages?|outputs?|labels?|titles?|headings?|buttons?|logs?|logging|prompts?|identifiers?|keys?|columns?|settings?|flags?|commands?|urls?|routes?|strings?|text|translations?|templates?|ui|screens?|e-?mails?|dialogs?|tooltips?|toasts?|footers?|headers?|navigation|menus?|responses?|(?:function|method|variable|class|field|parameter|file) names?)\b/i

/** Names that can be nothing but code: `name()`, of several words, or between backticks; and files of programs. */
export const codeNamesIn = (text: string): ReadonlyArray<string> =>
  [...new Set(Array.from(text.slice(0, maxItem).matchAll(codeName), ([name]) => name))].toSorted(
    (a, b) => b.length - a.length
  )

/** Nobody asks for one comment in more characters. */
const maxItem = 1_000

const codeName =
  /(?<![\w/.:-])[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+(?![\w(])|`[\w$.:#]+(?:\([^()\s]{0,60}\))?`|(?<![\w/.-])[\w$.:#]+\([^()\s]{0,60}\)|(?<![\w/.-])[a-z_]\w*[?!]?\/\d+(?![\w/.])|(?<![\w/.-])[\w/.-]+\.(?!(?:md|rst|txt|adoc)\b)[a-z]{1,5}\b|(?<![\w/.-])[A-Za-z_]\w*(?:\.[a-z]*[A-Z]\w*)+|(?<![\w/.-])(?:[A-Z]?[a-z\d]+(?:[A-Z][a-z\d]*)+|[A-Za-z\d]+(?:_[A-Za-z\d]+)+)(?:[.#]\w+)*(?![\w/(])/g

/** One thing of which documentation is written, by whatever name. */
const thing = String.raw`[\w.:#$\x60]+(?:\([^()\s]{0,60}\))?(?: ${codeNoun})?`
const documents = "(?:docs?|documentation|doc-?strings?|javadocs?|godocs?|jsdocs?)"

const forms = [
  new RegExp(`^(?:${adding}|${editing}) (?:\\S+\\(\\) )?${between}${strong}${ends}`, "i"),
  new RegExp(
    `^(?:document|describe|explain|annotate|state|say|note|mention)\\b.*\\b(?:in|with|by|as|using) ${between}(?:\\S+\\(\\) )?${strong}${ends}`,
    "i"
  ),
  new RegExp(
    `^document (?:the |every |each |all )?(?:\\S+\\([^()\\s]{0,60}\\)|(?:\\w+ ){0,3}(?:functions?|methods?|class(?:es)?|modules?|constants?|parameters?|exports?))(?:$|,|\\.| (?:of|for|in) | (?:with|using) ${between}${noun}${ends})`,
    "i"
  ),
  /^(?:add|put|insert|update|correct|fix) (?:(?:a|an|the|missing|our) ){0,2}?(?:(?:licen[cs]e|copyright|spdx) headers? (?:to|in|of|on) (?:every |all |each |the )*(?:(?:source )?files?|\S+\.[a-z]{1,4})|missing (?:licen[cs]es?|copyrights?)(?: (?:headers?|notices?))?(?: (?:to|in|of|on|for) .{1,40})?)$/i,
  new RegExp(
    `^(?:correct|fix) ${between}(?:typos?|spelling|grammar|wording|mistakes?) (?:in|of) ${between}(?:\\S+\\(\\) )?${strong}${ends}`,
    "i"
  ),
  new RegExp(`^(?:the|each|every) ${strong} (?:of|for|on|above|in) (?:\\S+ ){1,5}?${says}\\b`, "i"),
  new RegExp(`^(?:\\S+ ){1,5}?(?:has|have|gets?|carr(?:y|ies)) ${between}${strong}${ends}`, "i"),
  new RegExp(
    `^(?:${adding}) .{0,60}\\b(?:sections?|examples?|notes?|paragraphs?|sentences?|links? to .{1,40}|details?|warnings?|hints?|explanations?|descriptions?) (?:to|in) (?:the )?(?:${thing} ){0,2}${documents}(?: (?:of|for) (?:the )?${thing})?\\.?$`,
    "i"
  ),
  /^document (?:the |all )?(?:public |exported |internal )?apis?\.?$/i
]

const weak = [
  new RegExp(
    `^(?:document|describe|explain|annotate|state|say|note|mention|clarify)\\b.*\\b(?:in|with|by|as|using) ${between}${noun}${ends}`,
    "i"
  ),
  new RegExp(
    `^(?:add|write|put|insert|update|correct|improve|give) ${between}comments? (?:that (?:says?|explains?|describes?)|(?:to|for|above|before|in|on|at) (?:the )?(?:\\S+\\(\\)|(?:\\w+ )?${codeNoun}\\b))`,
    "i"
  ),
  /^comment (?:\S+\(\)|(?:the|every|each|all) (?:\w+ )?(?:functions?|methods?|class(?:es)?|modules?|constants?))(?:$|,|\.| in )/i
]

/** What stands there is shown to nobody else. */
const inDocumentation = new RegExp(`^.*\\bin (?:the )?${strong}\\.?$`, "i")

const touching = `${editing}|clean|${saying}|use|make|remove|replace|tweak|simplify|tidy|restructure`

/** Documentation of code in ordinary words, the noun being what is written, and nothing else. */
const documenting = [
  new RegExp(
    `^(?:${touching}) (?!.{0,100}\\blinks? to (?:the )?doc)(?:(?!(?:with|that|which)\\b)[^\\s.;]+ ){0,8}(?:${strong}|${documents})(?=\\s*(?:$|[.,:]|(?:of|for|in|on|to|at|after|since)\\b))`,
    "i"
  ),
  new RegExp(
    `^(?:${adding}|${editing}) (?:(?:an?|the|its|some|more|missing|better|short|brief|api|usage|inline|class|method|function|module) ){0,3}${documents}(?: (?:of|for|to|on) (?:the )?(?:${thing}|[\\w, ]{1,60} ${codeNoun}(?: in ${thing})?))?\\.?$`,
    "i"
  ),
  new RegExp(`^(?:${editing}) (?:the )?${thing} ${documents}\\.?$`, "i"),
  /^(?:(?:minor|misc\w*|small|more|some|various) ){0,2}(?:docs?|documentation|doc-?strings?)(?: (?:and|&) (?:comments?|docs?|documentation|doc-?strings?))? (?:updates?|fix(?:es)?|improvements?|changes|tweaks?|cleanups?|corrections?)(?: (?:of|for|in|to) .{1,60})?$/i,
  new RegExp(`^${documents} (?:for|of|on) (?!.*\\b(?:is|are|be|can|must|should|has|have)\\b).{1,80}$`, "i"),
  new RegExp(
    `^(?:${editing}) (?:the |some )?(?:[\\w-]+ )?${documents} (?:that|on|about|regarding|to (?:say|mention|explain|state|note|match|reflect))\\b`,
    "i"
  ),
  new RegExp(`^(?:${adding}) (?:(?!(?:with|that|which)\\b)[\\w-]+ ){0,3}?${documents}\\.?$`, "i"),
  new RegExp(`^(?:${adding}) ${between}${strong} (?:examples?|notes?|sections?|tags?)${ends}`, "i"),
  new RegExp(
    `^(?:(?:better|even|minor|misc|more|small|some|tiny|various) ){0,3}(?:${strong}|${documents}) (?:work|clean-?ups?|fix(?:es)?|improvements?|polish|tweaks?|typos?|updates?)\\.?$`,
    "i"
  ),
  new RegExp(`^(?:(?:even more|more|some(?: more)?) (?:\\w+ )?)?${documents}\\.?$`, "i"),
  new RegExp(
    `^(?:better|clearer|more|nicer) (?:[\\w-]+ ){0,2}${documents}(?: (?:about|for|in|of|on) .{1,60})?\\.?$`,
    "i"
  ),
  new RegExp(`^(?:${editing}) (?:the |an? |some |broken ){0,2}${documents} links?\\.?$`, "i"),
  /^document (?:the|that|how|what|when|why|which|where|all|each|every)\b/i,
  /^document NAME(?!\w)\.?$/i,
  /^(?:update|bump|fix|correct) (?:the )?copyright (?:years?|notices?|dates?)(?: (?:in|of|to) .{1,60})?$/i,
  /^(?:document|describe|explain) (?:the |each |every |all |its )?(?:[\w-]+ ){1,4}(?:of|for) (?:the )?NAME(?!\w)\.?$/i,
  /^(?:document|describe|explain) (?:what|how|when|why|which|where)\b.{0,80}\bNAME(?!\w)/i
]

/** Of what is explained nobody says where it is called what. */
const explaining = [
  /^(?:clarify|document|explain) (?:the )?(?:[\w$-]+ ){1,3}(?:caveats?|gotchas?|limitations?|meaning|pitfalls?|purpose|quirks?|requirements|semantics|usage)\.?$/i,
  new RegExp(`^(?:clarify|reword|rephrase|shorten) (?:the |an? )?(?:[\\w-]+ )?comments?${ends}`, "i"),
  new RegExp(
    `^(?:${adding}) ${between}comments? (?:explaining|describing|clarifying|noting|stating|mentioning|about|on (?:why|how|what)|why|where|how)\\b`,
    "i"
  ),
  new RegExp(
    `^(?:${adding}) (?:(?:an?|the|some|more|missing|short|brief) ){0,2}(?:explanatory|clarifying|inline|trailing|code|package|module|file|class|function|method)(?:[- ]level)? comments?${ends}`,
    "i"
  ),
  /^(?:explain|document|comment) (?:in (?:an? |the )?(?:\w+ )?comments? )?(?:why|where|how|when|that|what)\b/i,
  /^(?:mention|note|clarify) (?:why|where|how|that|when)\b/i,
  /^(?:explain|comment(?: on)?) (?:the |each |every |all )?(?:\w+ )?(?:magic numbers?|regex\w*|regular expressions?|formulas?|constants?|workarounds?|hacks?|calculations?|algorithms?|expressions?|loops?)\b/i,
  /^document (?:the |every |each |all )(?:[\w.]+ ){1,3}?(?:fields?|propert(?:y|ies)|options?|constants?|variables?|settings?|packages?|structs?|enums?|interfaces?|types?|scripts?)(?:$|,|\.| (?:of|for|in|on) )/i,
  /^[Dd]ocument (?:[A-Z][A-Z\d_]+|[A-Z]\w*(?:\.\w+)+)(?:$|,|\.| in )/
]

/** Of what can be nothing but code: a name in capitals and small letters may be of a product that has comments. */
const commented = [
  new RegExp(
    `^(?:${adding}|${editing}|clean up|tidy(?: up)?) ${between}comments? (?:to|for|above|before|in|on|at|about|of) (?:the )?(?:[\\w-]+ ){0,3}?NAME(?!\\w)`,
    "i"
  )
]

/** Of code that is named, for which `NAME` stands. */
const named = [
  new RegExp(`^(?:${editing}) (?:the )?NAME comments?${ends}`, "i"),
  new RegExp(
    `^(?:${saying})\\b.*\\b(?:in|with|by|as|using) ${between}${broad} (?:of|for|on|above|to) (?:the )?(?:\\w+ )?NAME\\b`,
    "i"
  ),
  new RegExp(
    `^(?:${editing}) (?:the|its) (?:\\w+ )?(?:comment|documentation|docs) (?:of|for|on|above|in) (?:the )?(?:\\w+ )?NAME(?!\\w)`,
    "i"
  ),
  new RegExp(`^(?:${adding}|${editing}) (?:[\\w-]+ ){0,5}?NAME (?:[\\w-]+ ){0,4}?(?:documentation|docs)${ends}`, "i"),
  new RegExp(
    `^(?:${adding}|${editing}) .{0,60}?${strong} .{0,20}?NAME|^(?:fix|correct) .{0,60}NAME ${strong}${ends}`,
    "i"
  ),
  new RegExp(`^(?:${adding}) ${between}(?:documentation|docs) (?:of|for|on|to) (?:the )?(?:\\w+ )?NAME(?!\\w)`, "i"),
  new RegExp(
    `^document (?:the )?(?:\\w+ )?NAME(?:$|,|\\.| (?:of|for|in) | (?:with|using) ${between}${noun}${ends})`,
    "i"
  ),
  /^document that (?:the )?(?:\w+ )?NAME\b/i,
  /^document NAME (?:for [\w ]{1,30}|with (?:an? |some )?examples?)\.?$/i,
  /^(?:add|write|put|note|mention|state) (?:(?:usage|short|brief|explanatory|an?|some) ){0,2}(?:notes? )?(?:to|in|on|for) NAME(?:$|\.| that\b)/i,
  new RegExp(`^(?:the )?(?:comment|documentation) (?:of|for|on|above) (?:the )?(?:\\w+ )?NAME ${says}\\b`, "i")
]

const inJapanese = (text: string): boolean => !ofProductInJapanese.test(text) && (writing.test(text) || ofNamed(text))

const ofProductInJapanese =
  /実装|を返す|返すように|テスト|リファクタ|修正し|機能|できる|可能|投稿|記事|ユーザ|画面|フォーム|エンドポイント|API|変更し|作成し|追加し/
const writing =
  /(?:コメント|ドキュメント文字列|ドックストリング|docstring|JSDoc|TSDoc|GoDoc|rustdoc|javadoc)(?:コメント)?(?:を|で|に|として)[^。、]{0,12}(?:追加|書|付|つけ|記述|記載|更新|説明|明記|加え)/i

/** Of code that is named, and of what is written of it. */
const ofNamed = (text: string): boolean =>
  !ofProduct.test(spoken(text)) &&
  codeNamesIn(text).some((name) =>
    /NAME(?:という)?(?:関数|メソッド|クラス|型|構造体|定数|変数)?の(?:説明|ドキュメント|コメント|doc|docstring|JSDoc|TSDoc|GoDoc|rustdoc|javadoc)(?:文|コメント)?(?:を|に|へ|で)[^。]{0,60}(?:追加|追記|拡張|拡充|補足|充実|更新|改善|見直|訂正|書|記述|記載|明記|説明|加え|付)/i.test(
      text.replaceAll(name, "NAME")
    )
  )
