import type { ProblemItem } from "@proofline/plugins/frontends/http/api"
import type { Failure } from "../api/client.ts"
import { visible } from "./code/visible.ts"
import { Notice } from "./Notice.tsx"

/** `tasks.yaml:12:3`, as far as it is known; empty: it is about no file. */
const placeOf = ({ column, file, line }: ProblemItem): string =>
  file === undefined
    ? ""
    : [file, line, line === undefined ? undefined : column].filter((at) => at !== undefined).join(":")

/** Why something was not done, by code, and what to do next; every fault with its place. */
export const FailureNotice = ({ failure, title }: { readonly failure: Failure; readonly title: string }) => (
  <Notice tone="bad" title={title}>
    {failure.problems.length === 0 ? (
      <>
        <p>
          {visible(failure.message)} <code className="failure-code">{failure.code}</code>
        </p>
        {failure.hint === "" ? null : <p className="failure-hint">{visible(failure.hint)}</p>}
      </>
    ) : (
      <ul className="failure-list">
        {failure.problems.map((problem, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two problems may be the same in all they say
          <li key={index}>
            {placeOf(problem) === "" ? null : <code className="failure-place">{visible(placeOf(problem))}</code>}
            <p>
              {visible(problem.message)} <code className="failure-code">{problem.code}</code>
            </p>
            {problem.hint === "" ? null : <p className="failure-hint">{visible(problem.hint)}</p>}
          </li>
        ))}
      </ul>
    )}
  </Notice>
)
