/** Why nothing proves a task, as logs of before have it. */
export const gateTexts = {
  nothing_to_prove: "It has no checklist, no checks and no validation: nothing shows that it is done.",
  nothing_proven: "All of its items were left out: nothing shows that it is done.",
  check_changed: "Only commands show it, and an agent changed the files that they rest on.",
  self_review: "Its validation is shown by nothing: only a reviewer that you name can judge it.",
  no_reviewer: "Its validation was judged by nobody: no reviewer is configured."
} as const

/** The same with a way out. A run records these among its `messages` when it begins. */
export const gateMessages = {
  nothing_to_prove: `${gateTexts.nothing_to_prove} Give the task a checklist, or a check that fails until the work is done.`,
  nothing_proven: `${gateTexts.nothing_proven} Show one of them by evidence, or report what cannot be done as 'cannot': a person is asked then.`,
  check_changed: `${gateTexts.check_changed} Bring these files back, or give the task a checklist whose items are shown by lines.`,
  self_review: `${gateTexts.self_review} Name one as \`reviewer\`, or have every criterion shown by evidence.`,
  no_reviewer: `${gateTexts.no_reviewer} Name one as \`reviewer\`, or have every criterion shown by evidence.`
} as const
