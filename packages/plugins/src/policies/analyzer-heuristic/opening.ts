import type { Marker } from "./requests.ts"

/** Of order words, and of polite words, which say nothing of the order; below in the same order. */
const kinds = ["earlier", "first", "then", "last", "also", "polite"] as const

const english = [
  "(?:but )?(?:before (?:that|this|doing that|you do that)|beforehand)",
  "first of all|first(?:ly)?|to (?:begin|start) with|(?:start|begin) by",
  "(?:and )?(?:then|next|after (?:that|this|which|doing so)|afterwards?|subsequently|thereafter|later|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|(?:once|when|after|as soon as) (?:(?:it|that|this|they|both|all|everything|these|those|all of (?:that|them|this)|both of them)(?:'s| is| are| has been| have been)? ?)?(?:done|completed?|finished|ready|in place|implemented|working|works?))",
  "finally|last(?:ly)?|at (?:last|the end)|in the end|to finish",
  "also|additionally|in addition|furthermore|moreover|besides|separately|independently|meanwhile|in parallel|as well",
  "please|kindly|hi|hello|hey|ok(?:ay)?|so|now|just|simply|(?:can|could|would|will) (?:you|we)|you (?:should|must|need to|have to)|i(?: want|'d like| would like| need) you to|(?:i|we)(?: want to|'d like to| would like to| need to| should| must| have to)|let's|let us|(?:your|the|our) (?:task|job|goal|idea) is to|help (?:me|us)(?: to)?|try to|go ahead and|it would be great to|and|but|or"
]
const japanese = [
  "(?:ただし、?)?その前に|それより前に|事前に",
  "まず(?:は|最初に)?|最初に|はじめに|初めに|第一に|[1１一]つ目に",
  "次に|つぎに|次いで|続いて|続けて|その後(?:に|で)?|そのあと(?:に|で)?|それから|その上で|そのうえで|(?:(?:それ|これ)が)?(?:終わったら|完了したら|できたら)|完了後に?|第[二三]に",
  "最後に|最終的に|仕上げに|(?:すべて|全て|全部|以上|これら|上記)(?:が|を)?(?:終わったら|完了したら|できたら|終えたら)",
  "また|さらに|更に|加えて|あわせて|併せて|ついでに|別途|同時に|並行して|そのほか|それと|あと|そして|なお",
  "お手数ですが|恐れ入りますが|すみませんが"
]
const openings = kinds.map(
  (kind, i) =>
    [kind, new RegExp(`^(?:(?:${english[i]})(?![\\w'])[\\s,:]*|(?:${japanese[i]})[、，,\\s]*)`, "iu")] as const
)

/** Order words and polite words before a request, and how long they are. */
export const opening = (masked: string): { readonly size: number; readonly marker: Marker | null } => {
  let size = 0
  let marker: Marker | null = null
  for (let more = true; more && size < 300; ) {
    const rest = masked.slice(size, size + 100)
    const [kind = "polite", pattern] = openings.find(([, known]) => known.test(rest)) ?? []
    if (kind !== "polite") marker = kind === "also" ? (marker ?? kind) : kind
    size += pattern?.exec(rest)?.[0].length ?? 0
    more = pattern !== undefined
  }
  return { size, marker }
}
