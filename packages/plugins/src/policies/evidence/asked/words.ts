/** Words that several rules know an item by, each list once. What only one rule knows stands there. */

/** Of what may be off. */
export const off = "deactivat\\w*|disabl\\w*|inactive|off|suspend\\w*"
/** Of what others decide. */
export const choosing = "choices?|configurable|default\\w*|opt|optional\\w*|options?|settings?"
/** Of what stands there in the place of something, and says so. */
export const standingIn = "drafts?|dummy|fake|no-?ops?|place-?holders?|scaffold\\w*|skeletons?|stubs?|templates?"
/** Of failures that may be. */
export const forgiving =
  "best[- ]effort|continu\\w*|ignor\\w*|optional\\w*|toler\\w*|warn\\w*|(?:not|n't|never|without) (?:\\w+ ){0,2}?(?:abort|block|crash|fail|stop)\\w*"
/** Of code that is to say what it said. */
export const rewriting = "clean\\w*|moderni[sz]\\w*|refactor\\w*|simplif\\w*|tidy"
/** Of what is written down for compilers and other code. */
export const declaring =
  "compat\\w*|declar\\w*|decorat\\w*|deprecat\\w*|overrid\\w*|reserv\\w*|typ(?:e|es|ed|ing)|unused"

/** Tells of an item whether it has one of these words. `japanese`: the same in a language without blanks. */
export const anyOf = (lists: ReadonlyArray<string>, japanese?: string): RegExp =>
  new RegExp(`\\b(?:${lists.join("|")})\\b${japanese === undefined ? "" : `|${japanese}`}`, "i")

/** What is had once is to be kept. */
export const ofKeeping = /\b(?:cach\w*|dedup\w*|duplicat\w*|memo\w*|remember\w*)\b/i
