/**
 * A request of ours that means nothing: it is asked for its answer, before which an agent tells what it has to tell.
 * The protocol leaves names that begin so to everybody; who does not know one answers with an error.
 */
export const barrier = "_proofline/barrier"

/** So many answers one after the other with nothing told before them. */
const quietAnswers = 3
/** It neither tells anything nor answers, as a program that passes over what it does not know; ms. */
const silentMs = 5_000

/** What an agent tells of its session that was before the prompt. Not every one has told all of it when it says so. */
export interface Past {
  /** Whether what is told now is the past. */
  readonly isTold: () => boolean
  /** It is being told. Resolves when it is over. */
  readonly begin: () => Promise<void>
  /** Something of it was told. */
  readonly heard: () => void
  /** The barrier was answered. */
  readonly answered: () => void
  readonly end: () => void
}

/** `ask` sends the barrier. */
export const makePast = (ask: () => void): Past => {
  let watching: { readonly end: () => void; readonly over: Promise<void> } | null = null
  let quiet = 0
  let hasHeard = false
  let timer: NodeJS.Timeout | undefined
  const end = (): void => {
    clearTimeout(timer)
    watching?.end()
    watching = null
  }
  const wait = (): void => {
    clearTimeout(timer)
    timer = setTimeout(end, silentMs)
  }
  const next = (): void => {
    hasHeard = false
    wait()
    ask()
  }
  return {
    isTold: () => watching !== null,
    begin: () => {
      if (watching !== null) return watching.over
      const { promise, resolve } = Promise.withResolvers<void>()
      watching = { end: resolve, over: promise }
      quiet = 0
      next()
      return promise
    },
    heard: () => {
      if (watching === null) return
      hasHeard = true
      wait()
    },
    answered: () => {
      if (watching === null) return
      quiet = hasHeard ? 0 : quiet + 1
      if (quiet === quietAnswers) end()
      else next()
    },
    end
  }
}
