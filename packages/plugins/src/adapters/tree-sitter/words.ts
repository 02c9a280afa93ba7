/** What programs and comments say of work that is not done, whatever the language. */

/*
 * Hardly any text says such a thing. What one has to hold for it is looked for first, in a pattern that takes V8 a fraction of
 * the time to compile.
 */

/** Whether a text that is thrown, printed or returned says that something is not done. */
export const isUnfinished = (text: string): boolean =>
  unfinishedWord.test(text) && (todoMarkers.test(text) || phrases.test(text))

/** A part of whatever `todoMarkers` and `phrases` find. */
const unfinishedWord =
  /implement|todo|fixme|tbd|stub|wip|placeholder|work in progress|supported yet|coming soon|to be (?:done|written)|done yet/i

/** In capitals, and as a mark: a to-do list is a thing that programs have. */
const todoMarkers =
  /(?:^|["'`(:>\s])(?:TODO|FIXME|TBD)\b\s*(?:$|[:(\-–—.!"'`)\\]|(?:implement|add|finish|write|complete|fix|fill|do|make|handle|remove|replace|support)\b)|\bNotImplemented|\bNOT_IMPLEMENTED\b/

const phrases =
  /\bnot[ _-]?(?:yet[ _-])?(?:been[ _-])?implemented|\bnot supported yet|\bun-?implemented\b|^\W*(?:todo|fixme|stub|tbd|wip|placeholder|work in progress)\W*$|^\W*(?:todo|fixme)\s*[:(]|\bimplement(?:ation)? (?:me\b|this\b|here|later|pending|missing|needed|required)|\bplaceholder (?:implementation|function|method|for now)|\bstub(?:bed)? (?:implementation|function|method|for now)|\bthis is (?:just )?a (?:stub|placeholder)\b|\bcoming soon\b|\bto be (?:implemented|done|written)\b|\bneeds? (?:to be )?implement|\bmissing implementation|\bno implementation\b|\bhas not been implemented\b|\bisn't implemented|\bnot done yet\b/i

/** Whether a comment says that something else stands in for the real thing. */
export const isRemark = (comment: string): boolean =>
  remarkWord.test(comment) &&
  (/\b(?:TODO|FIXME|XXX|TBD|HACK|STUB|PLACEHOLDER)\b/.test(comment) ||
    isUnfinished(comment) ||
    standIn.test(comment) ||
    awaited.test(comment))

/** A part of every remark, and of every mark of open work. */
const remarkWord = new RegExp(
  `${unfinishedWord.source}|xxx|hack|for now|dummy|mock|hard-?coded|in (?:a|the) real|in production|would |simulate|your `,
  "i"
)

/** Whether a comment begins with a mark of open work. */
export const isOpenTask = (comment: string): boolean =>
  remarkWord.test(comment) && (/^\W*(?:TODO|FIXME|XXX|TBD|STUB|PLACEHOLDER)\b/.test(comment) || announced.test(comment))

const announced = /^\W*(?:not (?:yet )?implemented|to be implemented|implement (?:me|this)|unimplemented)\b/i

/** Asks whoever reads it for the work. */
const awaited =
  /\byour (?:code|implementation|solution)(?: goes)? here\b|\b(?:write|add|put|insert|fill in|provide) your (?:own )?(?:code|implementation|solution)\b/i

const standIn =
  /\b(?:for now|dummy|placeholder|stub(?:bed)?|mock(?:ed)?|hard-?coded|in (?:a|the) real (?:app|application|implementation|world|system)|in production|would (?:normally|usually|typically)|simulated?)\b/i

/**
 * Whether a short statement does nothing but say so, to a caller or to a test: answers 501, passes on an error that says
 * "not implemented", or asserts what is always true.
 */
export const isHollow = (statement: string): boolean => {
  const text = statement.replace(/\s+/g, " ")
  if (!hollowPart.test(text)) return false
  if (alwaysTrue.test(text) || (/\b501\b/.test(text) && answer.test(text))) return true
  if (refusal.test(text.replace(quoted, ""))) return true
  return [...text.matchAll(quoted)].some(([, , said = ""]) => sentence.test(said))
}

/** A part of every statement that is hollow. */
const hollowPart = /1|true|2 \+ 2|implemented/i

const quoted = /(["'`])((?:(?!\1).){0,100})\1/g
const refusal = /\bNOT_IMPLEMENTED\b|\b(?:Http)?(?:Status)?(?:Codes?)?\.?(?:Status)?(?:501)?NotImplemented\b(?![\w(])/
/** A sentence of its own, not a word in some other text. */
const sentence = /^[\w\s.,:!'()-]*\b(?:not (?:yet )?implemented|unimplemented)\b[\s\w.,:!()-]*$/i
const answer = /status|abort|http|header|response|reply|send/i

const alwaysTrue =
  /^(?:[\w$]+(?:\.|->|::))*\$?(?:assert(?:True|_true|_eq!|!)?|isTrue|True|ok|EXPECT_TRUE|ASSERT_TRUE|XCTAssert(?:True)?)[ (]+(?:t, ?)?(?:true|True|1|1 == 1|1, 1|2 \+ 2, 4|true, true)\)?;?$|^expect\(true\)\.(?:to|not_to) (?:be(?:_truthy| true|\(true\))|eq\(?true\)?)$/

/** Longer statements are not looked into: they do more than to say so. */
export const maxHollow = 240

/** Whether a statement that says that something is not done also ends the function, so that nothing comes of it. */
export const isEnding = (statement: string): boolean =>
  /^(?:raise|throw|panic|todo!|unimplemented!|fatalError|preconditionFailure|TODO\(|\?\?\?|error\(|fail\b|die\b|exit\b|abort|std::abort|bail!)/.test(
    statement
  )

/** A way out of a function before its end. */
export const hasWayOut = (body: string): boolean => /\b(?:return|yield|break|continue|goto)\b/.test(body)
