/** What becomes of what a command finds: it counts, it is thrown away, or the command is never reached. */
export type Fate = "counts" | "lost" | "never"

export interface Command {
  /** Without what only leads to it: `sudo`, `CI=1`, the marks of Make. */
  readonly text: string
  readonly fate: Fate
}

/**
 * The commands of a script for a shell, as far as it is plain: what stands in brackets, loops and conditions counts. `stops`: the
 * first line that fails ends it. Pure.
 */
export const commandsIn = (script: string, stops: boolean): ReadonlyArray<Command> => {
  const lines = script
    .slice(0, maxScript)
    .replace(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .map((line) => split(line, /\s#.*|^#.*/y)[0]?.text.trim() ?? "")
    .filter((line) => line !== "")
  // what is asked for the result of another command may be anything
  const isSeen = /\$\?|PIPESTATUS|\btrap\b|\$LASTEXITCODE|%ERRORLEVEL%/i.test(script)
  const isAnswered = isSeen || lines.some((line) => !isQuiet(line) && answered.test(line))
  const endsQuietly = isQuiet(lines.at(-1) ?? "")
  let isStrict = stops
  let isOver = false
  let isLeftOut = false
  let depth = 0
  const found = lines.flatMap((line, i): ReadonlyArray<Command> => {
    if (/^set\s+[+]e\b/.test(line)) isStrict = false
    if (/^set\s+-\w*e\b/.test(line)) isStrict = true
    if (/^(?:if|for|while|until|case)\b|\{$/.test(line)) depth++
    if (/(?:^|[;\s])(?:fi|done|esac)\b|^\}/.test(line)) depth = Math.max(0, depth - 1)
    if (/^if\s+(?:false|!\s*true)\b/.test(line)) isLeftOut = true
    if (isOver || isLeftOut) {
      if (/(?:^|[;\s])fi\b/.test(line)) isLeftOut = false
      return [{ text: bare(line.replace(/^if\s.*?(?:;\s*then\b|$)|\b(?:fi|then)\b/g, "")), fate: "never" }]
    }
    if (hasFlow(line)) return [{ text: bare(line), fate: asksOnly.test(line) && !isAnswered ? "lost" : "counts" }]
    const parts = split(line, /;/y).map(({ text }) => text)
    const ends = parts.findIndex((part) => isEnd(part))
    if (ends !== -1 && depth === 0) isOver = true
    const isDrowned = !isStrict && !isSeen && (isQuiet(parts.at(-1) ?? "") || (depth === 0 && endsQuietly))
    return parts.flatMap((part, at) => {
      if (ends !== -1 && at > ends) return [{ text: bare(part), fate: "never" }]
      const isLast = at === parts.length - 1 && i === lines.length - 1
      return chained(part).map((one) =>
        isDrowned && !isLast && one.fate === "counts" ? { ...one, fate: "lost" } : one
      )
    })
  })
  return found.filter(({ text }) => !/^(?:else|fi|done|then|do|esac|;;|\}|)$/.test(text))
}

/** Longer scripts are not looked through to their end. */
const maxScript = 20_000

/** A command of which only something else depends on whether it fails. */
const asksOnly = /^(?:(?:el)?if|while|until)\s/
/** What a script may do about it. */
const answered = /\b(?:exit|return)\s+["']?[1-9$]|\bfalse\b|\bfail\w*|\b\w+=|::\w+|GITHUB_|\b(?:kill|die|throw)\b/i

const hasFlow = (line: string): boolean =>
  /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|function)\b|^!\s/.test(line) ||
  split(line, /`|<</y).length > 1

const isEnd = (part: string): boolean => /^[@-]*exit(?:\s+0)?$/.test(part.trim())

/** What a part of a line does, one after the other: `a && b || c`, `a | b`. */
const chained = (part: string): ReadonlyArray<Command> => {
  const found = split(part, /&&|\|\||\|&?|&(?!\d)/y)
  if (found.length > maxParts) return [{ text: bare(part), fate: "counts" }]
  const isSaved = savedIn(found)
  let isOver = false
  return found.flatMap(({ sign, text }, at): ReadonlyArray<Command> => {
    const isSkipped = isOver
    isOver ||= isEnd(text) || (sign === "||" && isQuiet(text)) || (sign === "&&" && fails.test(text.trim()))
    const isLost =
      isSaved[at] === true ||
      (sign === "|" && /^(?:\/bin\/)?(?:true|:)$/.test(found[at + 1]?.text.trim() ?? "")) ||
      /^\s*@?-(?=\S)/.test(text)
    const fate = isSkipped ? "never" : isLost ? "lost" : "counts"
    const inner = innerOf(bare(text))
    if (inner === undefined) return [{ text: bare(text), fate }]
    return commandsIn(inner, false).map((one) => (fate === "counts" ? one : { ...one, fate }))
  })
}

const maxParts = 100
const fails = /^[@-]*(?:\/bin\/)?false$/

/** Of which there is nothing behind the next `||` that anybody would miss, and nothing but `&&` before that. */
const savedIn = (pieces: ReadonlyArray<Piece>): ReadonlyArray<boolean> => {
  let isQuietBehind = true
  let isSaved = false
  return pieces
    .toReversed()
    .map(({ sign, text }) => {
      isSaved = sign === "||" ? isQuietBehind : sign === "&&" && isSaved
      isQuietBehind &&= isQuiet(text)
      return isSaved
    })
    .toReversed()
}

interface Piece {
  readonly text: string
  /** What stands behind it; empty: it is the last. */
  readonly sign: string
}

/** A command for another shell. */
const ofShell = /^(?:\/bin\/)?(?:ba|da|z|k)?sh\s+-\w*c\s+(?:"([^"]*)"|'([^']*)'|([^\s"']+))$/

const innerOf = (command: string): string | undefined =>
  ofShell
    .exec(command)
    ?.slice(1)
    .find((one) => one !== undefined)

/** Splits where a sign stands outside of quotes and brackets. */
const split = (text: string, sign: RegExp): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let quote = ""
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === "\\") at++
    else if (quote !== "") quote = char === quote ? "" : quote
    else if (char === '"' || char === "'") quote = char
    else if (char === "(" || char === "{") depth++
    else if (char === ")" || char === "}") depth--
    else if (depth <= 0) {
      sign.lastIndex = at
      const found = text.charAt(at - 1) === ">" ? null : sign.exec(text)
      if (found === null) continue
      pieces.push({ text: text.slice(from, at), sign: found[0] })
      from = at + found[0].length
      at = from - 1
    }
  }
  return [...pieces, { text: text.slice(from), sign: "" }]
}

const bare = (command: string): string =>
  command
    .trim()
    .replace(/^(?:[@-]+(?=\S)|(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\S*)|sudo|exec|command|time|env|npx|bunx)\s+)+/, "")

/** It succeeds and tells nobody anything: what is behind `||` when a failure is to be forgotten. */
const isQuiet = (command: string): boolean => isIdle(command) && !/::(?:warning|error|notice)/.test(command)

/** Commands, one after the other, each of which does nothing that anybody could miss. Pure. */
export const isIdle = (script: string): boolean => {
  const inner = /^\s*(["'])(.*)\1\s*$/s.exec(script)?.[2] ?? script
  const parts = inner
    .split("\n")
    .flatMap((line) => (/^\s*@?#/.test(line) ? [] : split(line, /&&|\|\||;/y)))
    .map(({ text }) => bare(text).trim())
  return inner.trim() !== "" && parts.every((part) => part === "" || isIdleCommand(part))
}

const isIdleCommand = (command: string): boolean => {
  const inner = innerOf(command)
  return inner === undefined ? idle.some((form) => form.test(command)) : isIdle(inner)
}

const idle = [
  /^(?:(?:\/(?:usr\/)?bin\/)?true|:|exit(?: 0)?|(?:echo|printf)(?: (?:(?!::|\$\()[^>|`<&])*)?|sleep [\d.]+|set [-+]\w+|pwd|date|whoami)$/,
  /^(?:Write-(?:Host|Output)(?: [^>|$`]*)?|cmd \/c exit 0|exit \/b 0)$/i,
  /^node -e ["']?(?:process\.exit\(0?\);?|console\.log\([^()]*\);?|0|)["']?$/,
  /^@?php -r ["']?(?:exit(?:\(0?\))?;?)["']?$/,
  /^python3? -c ["']?(?:pass|exit\(0?\)|(?:import sys; ?)?sys\.exit\(0?\)|print\([^()]*\))["']?$/,
  /^(?:test|\[) (?:1|true|1 -eq 1|1 = 1)(?: \])?$/
]

// --- what an item asks to run -------------------------------------------------------------------------------------

/** What somebody wants to know by running it, as an item and as a command speak of it. */
interface Topic {
  readonly asked: RegExp
  readonly said: RegExp
}

const topics: ReadonlyArray<Topic> = [
  {
    asked:
      /\b(?:unit|integration|e2e|smoke|regression|browser)?[- ]?tests?\b|\btest(?:ing|ed)\b|\bspecs?\b|\bpytest|\bvitest|テスト/i,
    said: /\b(?:tests?|pytest|jest|vitest|mocha|ava|tap|rspec|phpunit|ctest|tox|nox|cypress|playwright|karma|unittest|gotestsum|nextest|pest|behave|cucumber|specs?|check|verify|e2e)\b/i
  },
  {
    asked: /\blint\w*|\beslint|\bruff|\bclippy|\bcode style\b|\bstatic analysis|静的解析|リント/i,
    said: /lint|\b(?:flake8|ruff|rubocop|clippy|biome|shellcheck|ktlint|detekt|checkstyle|phpcs|vet|standard|check|credo)\b/i
  },
  {
    asked: /\btype[- ]?check\w*|\bchecks? (?:the )?types\b|\btypes are checked|\btypes?\b.*\bCI\b|型チェック|型検査/i,
    said: /\b(?:tsc|mypy|pyright|pyre|pytype|vue-tsc|svelte-check|flow|type-?check|check-types|types|phpstan|psalm|sorbet|dialyzer|check)\b/i
  },
  {
    asked: /\bbuil(?:ds?|t|ding)\b|\bcompil\w+|ビルド/i,
    said: /\b(?:build|compile|webpack|vite|rollup|make|cargo|gradlew?|mvn|tsc|cmake|ninja|dist)\b/i
  },
  {
    asked: /\bformat(?:ting|ted|s)?\b|フォーマット|整形/i,
    said: /\b(?:prettier|black|gofmt|fmt|format\w*|rustfmt|clang-format|biome|ruff)\b/i
  }
]

/** Whether a command, in a place of that name, is of what an item asks to run; null: it speaks of nothing that is known. */
export const topicOf = (item: string): ((command: string, name: string) => boolean) | null => {
  const asked = topics.filter((topic) => topic.asked.test(item))
  return asked.length === 0
    ? null
    : (command, name) =>
        isWork(command) && !isIdle(command) && asked.some((topic) => topic.said.test(command) || topic.asked.test(name))
}

/** It is no cleaning up, no preparing, and no looking at what there is. */
const isWork = (command: string): boolean => {
  const [program = "", next = "", third = ""] = command
    .replace(/["'[\],]+/g, " ")
    .trim()
    .split(/\s+/)
  const name = program.slice(program.lastIndexOf("/") + 1)
  if (/^(?:docker|podman|docker-compose)$/.test(name))
    return /^(?:run|exec|build)$/.test(next === "compose" ? third : next)
  // Maven builds what it installs
  return !housekeeping.test(name) && (!preparing.test(next) || /^mvnw?$/.test(name))
}

const housekeeping =
  /^(?:rm|mkdir|rmdir|kubectl|helm|kill|pkill|killall|cp|mv|cat|ls|grep|find|tail|head|git|apt(?:-get)?|apk|brew|choco|chmod|chown|ln|touch|source|\.|export|unset|cd|pushd|popd|which|type|hash|createdb|dropdb|psql|mysql|wget|curl|tar|zip|unzip|systemctl|service|u?mount|redis-cli|test|\[|\[\[|sleep|echo|printf|set|shopt|true|false|aws|gcloud|az|codecov|gh|sed|awk|sort|wc|du|df|diff|corepack|husky)$/
const preparing =
  /^(?:install|i|ci|add|update|upgrade|config|cache|clean|prune|link|stop|down|kill|reset|remove|uninstall|login|pull|fetch|download|get|restore|sync)$/

/** It only tells something of itself, or of what it would do. */
export const isInert = (command: string): boolean =>
  /\s--(?:version|help|collect-only|co|listTests|list-tests|dry-run|showConfig|print-config)(?:[\s=]|$)|^make\s+-n\b/.test(
    command
  )

/** What it finds goes into a file or to another program, which may judge it. */
export const isReport = (command: string): boolean =>
  /[^|]\|\s*(?!\||true\b|:)\S|(?<![-=\d&])>{1,2}\s*(?!\/dev\/|&)\S|\s(?:-o|--out\w*(?:-\w+)*|--report-?file|--junit-?xml)(?:[ =]|$)/.test(
    command
  )
