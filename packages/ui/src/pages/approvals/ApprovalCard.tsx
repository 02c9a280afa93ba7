import { afterAnswer, checkEnding, counted } from "@proofline/kernel"
import type { Approval } from "@proofline/plugins/frontends/http/api"
import { type FormEvent, useId, useState } from "react"
import { Link } from "wouter"
import type { Client } from "../../api/client.ts"
import { useProject } from "../../api/project.tsx"
import { useAction } from "../../api/useAction.ts"
import { Disclosure } from "../../parts/code/Disclosure.tsx"
import { Patch } from "../../parts/code/Patch.tsx"
import { Printed } from "../../parts/code/Printed.tsx"
import { named, visible } from "../../parts/code/visible.ts"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { Field } from "../../parts/Field.tsx"
import { useNow } from "../../parts/now.ts"
import { durationText, shortTimeText } from "../../parts/when.ts"
import { to } from "../../route.ts"
import "./approvals.css"

interface ApprovalCardProps {
  readonly approval: Approval
  /** It was decided. */
  readonly onDone: () => void
  /** False where the run is what the page is about. */
  readonly namesRun: boolean
  /** Level of its heading. */
  readonly level: 2 | 3
}

/** Something that waits for a person, with how it is decided. */
export const ApprovalCard = ({ approval, level, namesRun, onDone }: ApprovalCardProps) => {
  const heading = useId()
  const Heading = `h${level}` as const
  const { asked_at, changes, failed, kind, phase, question, run_id, run_name, task_id } = approval
  return (
    <section className="card approval" aria-labelledby={heading} data-approval={kind}>
      <p className="approval-where muted">
        <span>{kinds[kind]}</span>
        {namesRun ? <Link href={to.run(run_id)}>{named(run_name === "" ? run_id : run_name)}</Link> : null}
        {task_id === null ? null : <Link href={to.task(run_id, task_id)}>{named(task_id)}</Link>}
        {phase === null ? null : <span>phase {named(phase)}</span>}
        {asked_at === null ? null : <Since at={asked_at} />}
      </p>
      <Heading id={heading} tabIndex={-1} className="approval-question">
        {visible(question)}
      </Heading>
      {failed.map(({ command, output, ...end }) => (
        <div key={command} className="approval-failed">
          <p>
            <span aria-hidden="true">✗ </span>
            <code>{visible(command)}</code> {checkEnding(end)}
          </p>
          {output.trim() === "" ? null : (
            <Printed text={output.trimEnd()} label={`Output of ${named(command)}, ${keyWords(approval)}`} />
          )}
        </div>
      ))}
      {changes === null || changes.files.length === 0 ? null : <Changes changes={changes} of={keyWords(approval)} />}
      {kind === "question" ? (
        <Question approval={approval} onDone={onDone} />
      ) : kind === "permission" ? (
        <Permission approval={approval} onDone={onDone} />
      ) : kind === "cannot" ? (
        <Cannot approval={approval} onDone={onDone} />
      ) : (
        <Conflict approval={approval} onDone={onDone} />
      )}
    </section>
  )
}

/** Tells what stands in one card from the same in another. */
const keyWords = ({ question, run_id, task_id }: Approval): string => named(`${task_id ?? run_id}: ${question}`)

/** So many lines are shown without being asked for. */
const linesAtOnce = 40

/** What the work has changed so far. */
const Changes = ({
  changes: { files, left_out },
  of
}: {
  readonly changes: NonNullable<Approval["changes"]>
  /** What is asked. */
  readonly of: string
}) => {
  const [added, removed] = [sum(files.map((file) => file.added)), sum(files.map((file) => file.removed))]
  const [isOpen, setOpen] = useState(added + removed <= linesAtOnce)
  const changed = files.length + left_out
  return (
    <Disclosure
      level={null}
      isOpen={isOpen}
      onToggle={setOpen}
      title={`Changed: ${counted(changed, "file")}, +${added} −${removed}`}
    >
      {() => (
        <ul className="approval-changes">
          {files.map(({ patch, path, ...lines }) => (
            <li key={path}>
              <p>
                <code>{visible(path)}</code>{" "}
                <span className="muted">
                  {lines.added === null ? "" : `+${lines.added} −${lines.removed}`}
                  {patch === null ? " not shown: no text, or too much of it" : ""}
                </span>
              </p>
              {patch === null ? null : <Patch text={patch} label={`Changes of ${visible(path)}, ${of}`} />}
            </li>
          ))}
          {left_out === 0 ? null : <li className="muted">and {left_out} more files</li>}
        </ul>
      )}
    </Disclosure>
  )
}

const sum = (counts: ReadonlyArray<number | null>): number =>
  counts.reduce((all: number, count) => all + (count ?? 0), 0)

/** How long it waits, with the time beside it. */
const Since = ({ at }: { readonly at: string }) => {
  const now = useNow(true)
  return (
    <time dateTime={at} title={at}>
      since {shortTimeText(at, now)} ({durationText(Math.max(0, now - Date.parse(at)))})
    </time>
  )
}

const kinds: Readonly<Record<Approval["kind"], string>> = {
  permission: "An agent asks whether it may",
  cannot: "Cannot be done, as the agent says",
  question: "Question",
  conflict: "Conflict"
}

/** What an agent may do only with leave. It waits meanwhile. */
const Permission = ({ approval, onDone }: DecisionProps) => {
  const { agent = "", attempts = 1, detail = "", files, question, question_id, role = "work", run_id } = approval
  const action = useAction()
  const [comment, setComment] = useState("")
  const answer = (word: string) => {
    const payload = {
      answer: word,
      ...(question_id === null ? {} : { question_id }),
      ...(comment.trim() === "" ? {} : { comment: comment.trim() })
    }
    action.run((client) => client.runs.answer({ params: { run: run_id }, payload }), onDone)
  }
  return (
    <div className="approval-form">
      <dl className="approval-why">
        <dt>Who</dt>
        <dd>
          {named(agent)}, {role === "work" ? `in attempt ${attempts}` : `in the role ${named(role)}`}; it waits
        </dd>
        {detail === "" || detail === question ? null : (
          <>
            <dt>With</dt>
            <dd>
              <code>{visible(detail)}</code>
            </dd>
          </>
        )}
        {files.length === 0 ? null : (
          <>
            <dt>Files</dt>
            <dd>
              <FileNames files={files} />
            </dd>
          </>
        )}
      </dl>
      <CommentField value={comment} onType={setComment} hint="It is kept in the log. The agent does not see it." />
      <NamedAnswers approval={approval} words={permissionWords} isBusy={action.isBusy} onAnswer={answer} />
      {action.failure === null ? null : <FailureNotice failure={action.failure} title="That was not taken." />}
    </div>
  )
}

/** An item that an agent cannot do: why, what was tried, and how it goes on. */
const Cannot = ({ approval, onDone }: DecisionProps) => {
  const { attempts = 0, evidence = null, files, question_id, reason = "", run_id } = approval
  const action = useAction()
  const canStart = useProject().about?.can_start ?? false
  const [comment, setComment] = useState("")
  const [isMissing, setMissing] = useState(false)
  const text = comment.trim()
  const answer = (word: string) => {
    if (word === "continue" && text === "") {
      setMissing(true)
      return
    }
    const payload = {
      answer: word,
      ...(question_id === null ? {} : { question_id }),
      ...(text === "" ? {} : { comment: text })
    }
    const goOn = (client: Client) => client.runs.resume({ params: { run: run_id }, payload: {} })
    action.run(async (client) => {
      const run = await client.runs.answer({ params: { run: run_id }, payload })
      // a run that has ended goes on when nothing else is asked
      if (canStart && run.status !== "running" && run.kind !== "session" && run.approvals.length === 0)
        await goOn(client)
    }, onDone)
  }
  return (
    <div className="approval-form">
      <dl className="approval-why">
        <dt>Why</dt>
        <dd>{visible(reason)}</dd>
        {evidence === null ? null : (
          <>
            <dt>Evidence</dt>
            <dd>
              <code>{visible(evidence)}</code>
            </dd>
          </>
        )}
        <dt>Tried</dt>
        <dd>
          {counted(attempts, "attempt")}
          {files.length === 0 ? "; no file is known to be changed by it" : "; changed "}
          <FileNames files={files} />
        </dd>
      </dl>
      <CommentField
        value={comment}
        onType={(typed) => {
          setComment(typed)
          setMissing(false)
        }}
        hint="To go on, say how it can be done: the next attempt is told. With the other answers it is kept in the log."
        label="What you say"
      />
      {isMissing ? <p role="alert">Say how it can be done first.</p> : null}
      <NamedAnswers approval={approval} words={itemWords} isBusy={action.isBusy} onAnswer={answer} />
      <After approval={approval} />
      {action.failure === null ? null : <FailureNotice failure={action.failure} title="That was not taken." />}
    </div>
  )
}

/** Names of files with commas between. */
const FileNames = ({ files }: { readonly files: ReadonlyArray<string> }) =>
  files.map((file, index) => (
    <span key={file}>
      {index === 0 ? "" : ", "}
      <code>{named(file)}</code>
    </span>
  ))

interface DecisionProps {
  readonly approval: Approval
  readonly onDone: () => void
}

const Question = ({ approval, onDone }: DecisionProps) => {
  const { answers, other_leads_to, question_id, run_id } = approval
  const action = useAction()
  const [answer, setAnswer] = useState("")
  const [comment, setComment] = useState("")
  // a contract names the answers that lead somewhere else; what it takes may be more than these
  const [isOther, setOther] = useState(answers.length === 0)
  const params = { run: run_id }
  const extra = {
    // somebody else may have answered meanwhile: what is asked next is no less a question of its own
    ...(question_id === null ? {} : { question_id }),
    ...(comment.trim() === "" ? {} : { comment: comment.trim() })
  }
  const sayAnswer = (text: string) =>
    action.run((client) => client.runs.answer({ params, payload: { answer: text, ...extra } }), onDone)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sayAnswer(answer.trim())
  }
  return (
    <form className="approval-form" onSubmit={submit}>
      {isOther ? <AnswerField isAskedFor={answers.length > 0} value={answer} onType={setAnswer} /> : null}
      <CommentField value={comment} onType={setComment} />
      <div className="row">
        <Answers answers={answers} isBusy={action.isBusy} onAnswer={sayAnswer} />
        {other_leads_to === null ? null : isOther ? (
          <AnswerButton
            word="Answer"
            leadsTo={other_leads_to}
            isFirst={answers.length === 0}
            isBusy={action.isBusy}
            onAnswer={null}
          />
        ) : (
          <AnswerButton
            word="Another answer …"
            leadsTo={other_leads_to}
            isFirst={false}
            isBusy={action.isBusy}
            onAnswer={() => setOther(true)}
          />
        )}
      </div>
      {action.failure === null ? null : <FailureNotice failure={action.failure} title="That was not taken." />}
    </form>
  )
}

interface TextProps {
  readonly value: string
  readonly onType: (text: string) => void
}

const AnswerField = ({ isAskedFor, onType, value }: TextProps & { readonly isAskedFor: boolean }) => (
  <Field label="Answer">
    {(id) => (
      <input
        id={id}
        required
        // biome-ignore lint/a11y/noAutofocus: it appears because somebody asked for it
        autoFocus={isAskedFor}
        value={value}
        onChange={(event) => onType(event.target.value)}
      />
    )}
  </Field>
)

interface CommentProps extends TextProps {
  readonly label?: string
  readonly hint?: string
}

const CommentField = ({
  hint: told = "It is kept in the log with the answer, and the agent reads it.",
  label = "Comment (optional)",
  onType,
  value
}: CommentProps) => (
  <Field label={label} hint={told}>
    {(id, hint) => (
      <textarea
        id={id}
        rows={2}
        aria-describedby={hint}
        value={value}
        onChange={(event) => onType(event.target.value)}
      />
    )}
  </Field>
)

interface AnswersProps {
  readonly answers: Approval["answers"]
  readonly isBusy: boolean
  readonly onAnswer: (word: string) => void
}

/** The answers that the contract names. */
const Answers = ({ answers, isBusy, onAnswer }: AnswersProps) =>
  answers.map(({ answer: words, leads_to }) => (
    <AnswerButton
      key={words.join("/")}
      word={isYes(words) ? "Approve" : named(words[0] ?? "")}
      leadsTo={leads_to}
      isFirst={isYes(words)}
      isBusy={isBusy}
      onAnswer={() => onAnswer(words[0] ?? "")}
    />
  ))

/** What the answers that there always are say, on a button; the first is what most mean. */
const permissionWords = { allow: "Allow", always: "Always allow", deny: "Deny" }
const itemWords = { continue: "Go on as I say", waive: "Waive it", give_up: "Give up" }

interface NamedProps extends Omit<AnswersProps, "answers"> {
  readonly approval: Approval
  readonly words: Readonly<Record<string, string>>
}

const NamedAnswers = ({ approval: { answers }, isBusy, onAnswer, words }: NamedProps) => (
  <div className="row">
    {Object.entries(words).map(([answer, word], index) => (
      <AnswerButton
        key={answer}
        word={word}
        leadsTo={answers.find((one) => one.answer.includes(answer))?.leads_to ?? ""}
        isFirst={index === 0}
        isBusy={isBusy}
        onAnswer={() => onAnswer(answer)}
      />
    ))}
  </div>
)

interface AnswerButtonProps {
  readonly word: string
  readonly leadsTo: string
  /** It is what most mean. */
  readonly isFirst: boolean
  readonly isBusy: boolean
  /** Null: it sends the form. */
  readonly onAnswer: (() => void) | null
}

/** An answer, and below it where it leads. */
const AnswerButton = ({ isBusy, isFirst, leadsTo, onAnswer, word }: AnswerButtonProps) => (
  <button
    type={onAnswer === null ? "submit" : "button"}
    className={isFirst ? "primary" : ""}
    disabled={isBusy}
    {...(onAnswer === null ? {} : { onClick: onAnswer })}
  >
    <span className="approval-word">{word}</span> <span className="approval-then">{visible(leadsTo)}</span>
  </button>
)

/** What becomes of a run that has ended: this page resumes it with the answer, where it can. */
const After = ({ approval: { after } }: { readonly approval: Approval }) => {
  const canStart = useProject().about?.can_start ?? false
  return after === null ? null : <p className="muted">{canStart ? afterAnswer(true) : after}</p>
}

const yes = ["yes", "approve", "approved", "ok"]
const isYes = (words: ReadonlyArray<string>): boolean => words.some((word) => yes.includes(word.toLowerCase()))

const Conflict = ({ approval: { files, run_id }, onDone }: DecisionProps) => {
  const action = useAction()
  const canStart = useProject().about?.can_start ?? false
  const resume = (conflict_resolution?: "overwrite" | "fail") =>
    action.run(
      (client) =>
        client.runs.resume({
          params: { run: run_id },
          payload: conflict_resolution === undefined ? {} : { conflict_resolution }
        }),
      onDone
    )
  return (
    <div className="approval-form">
      {files.length === 0 ? null : (
        <ul className="approval-files">
          {files.map((file) => (
            <li key={file}>
              <code>{named(file)}</code>
            </li>
          ))}
        </ul>
      )}
      {canStart ? (
        <>
          <p className="muted">
            Decide in the files and let the run go on, or let it decide: by the later change, or by failing.
          </p>
          <div className="row">
            <button type="button" className="primary" disabled={action.isBusy} onClick={() => resume()}>
              <span>I decided in the files</span>
              <span className="approval-then">the run goes on with them as they are</span>
            </button>
            <button type="button" disabled={action.isBusy} onClick={() => resume("overwrite")}>
              <span>The later change wins</span>
              <span className="approval-then">where they conflict, the earlier one is lost</span>
            </button>
            <button type="button" disabled={action.isBusy} onClick={() => resume("fail")}>
              <span>Fail where they conflict</span>
              <span className="approval-then">the task fails, nothing is lost</span>
            </button>
            <span className="muted" role="status">
              {action.isBusy ? "The run is taken up again …" : ""}
            </span>
          </div>
        </>
      ) : (
        <p>
          Decide in the files, then let it go on: <code>proofline resume {named(run_id)}</code>, or with{" "}
          <code>--conflict-resolution overwrite</code> by the later change.
        </p>
      )}
      {action.failure === null ? null : (
        <FailureNotice failure={action.failure} title="The run was not taken up again." />
      )}
    </div>
  )
}
