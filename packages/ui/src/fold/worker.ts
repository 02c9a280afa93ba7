/** Reads the log of one run and folds it, away from where the page is drawn. */

import { follow } from "./follow.ts"
import type { Request, Response } from "./protocol.ts"
import { makeSubscriptions, type Subscriptions } from "./subscriptions.ts"

const post = (response: Response): void => self.postMessage(response)

// timers of a worker wait at least 4 ms, a message comes at once
const channel = new MessageChannel()
const turns: Array<() => void> = []
channel.port1.onmessage = () => turns.shift()?.()
const turn = (run: () => void): void => {
  turns.push(run)
  channel.port2.postMessage(null)
}

const after = (ms: number, run: () => void): void => {
  if (ms <= 0) turn(run)
  else setTimeout(run, ms)
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener("abort", done, { once: true })
  })

let subscriptions: Subscriptions | null = null
let token = ""
let isFollowing = false
let goOn: (() => void) | null = null

const begin = (subscriptions: Subscriptions, url: string): void => {
  if (isFollowing) return
  isFollowing = true
  void follow({
    url,
    token: () => token,
    resumeAt: () => subscriptions.store.resumeAt,
    take: (events) => {
      const fit = subscriptions.store.add(events)
      subscriptions.changed()
      return fit
    },
    restart: subscriptions.restart,
    loaded: () => subscriptions.store.head,
    tell: (connection) => post({ type: "connection", connection }),
    breathe: () => new Promise(turn),
    wait,
    now: () => performance.now() + performance.timeOrigin,
    random: Math.random,
    // the page ends the worker as a whole
    signal: new AbortController().signal
  }).finally(() => {
    isFollowing = false
  })
}

self.onmessage = ({ data }: MessageEvent<Request>) => {
  switch (data.type) {
    case "open": {
      const opened = makeSubscriptions(data.run, post, { now: () => performance.now(), after })
      subscriptions = opened
      token = data.token
      const url = `${data.base}/api/v1/runs/${encodeURIComponent(data.run)}/events/stream`
      goOn = () => begin(opened, url)
      return goOn()
    }
    case "token":
      token = data.token
      return goOn?.()
    default:
      subscriptions?.receive(data)
  }
}
