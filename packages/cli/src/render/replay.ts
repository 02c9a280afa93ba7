import type { Difference } from "@proofline/kernel"
import type { Replayed } from "../documents/proof.ts"
import type { State } from "../project/state.ts"
import { count } from "./lines.ts"
import { oneLine, type Style } from "./style.ts"
import { runTree } from "./tree.ts"

/** Differences that are shown; the others are counted. */
const differencesMax = 20

/** So much of a value is shown. */
const valueWidth = 200

/** What a replay of a run has found, for people. */
export const replayText = (replayed: Replayed, state: State, style: Style): string => {
  const { divergence, events, integrity: broken, run_id: run, unjudged, until } = replayed
  return [
    broken === null
      ? `The hash chain of ${run} is intact over ${count(events, "event")}.`
      : broken.code === "log_changed"
        ? style.red(`The hash chain of ${run} is broken at version ${broken.version}: ${broken.message}`)
        : style.red(broken.message),
    ...(divergence === null
      ? [`Today's rules make every decision as it was recorded${until === undefined ? "" : " so far"}.`]
      : divergenceLines(divergence, style)),
    ...unjudged.map(({ code, message }) => style.yellow(`Not judged: ${message} [${code}]`)),
    ...(until === undefined || divergence !== null
      ? []
      : [`Behind version ${until.version}, ${until.event_type} of ${until.timestamp}:`, ...runTree(state, style, 100)]),
    ""
  ].join("\n")
}

const divergenceLines = (
  { differences, expected, message, recorded, version }: NonNullable<Replayed["divergence"]>,
  style: Style
): ReadonlyArray<string> => {
  const left = differences.length - differencesMax
  return [
    style.red(`Today's rules part from the log at version ${version}: ${message}`),
    ...differences.slice(0, differencesMax).map(differenceLine),
    ...(left > 0 ? [`  and ${count(left, "difference")} more; --json shows them all.`] : []),
    ...(differences.length > 0
      ? []
      : [
          ...(recorded === null ? [] : [`  recorded: ${recorded.type} ${shown(recorded.content)}`]),
          ...(expected === null ? [] : [`  today:    ${expected.type} ${shown(expected.content)}`])
        ])
  ]
}

const differenceLine = ({ expected, path, recorded }: Difference): string =>
  `  ${path === "" ? "(all of it)" : path}: recorded ${shown(recorded)}, today ${shown(expected)}`

const shown = (value: Difference["recorded"]): string =>
  value === undefined ? "nothing" : oneLine(JSON.stringify(value), valueWidth)
