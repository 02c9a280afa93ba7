import { lineStarts } from "./text.ts"
import type { FoundFunction, Language, Source } from "./types.ts"

/** What a body is replaced by. */
export interface Style {
  readonly name: string
  /** Lines of the new body without indentation; null where the style does not suit the function. */
  readonly lines: (shape: Shape) => ReadonlyArray<string> | null
  /** `inline`: on the line of the head; `expression`: instead of the braces too (`= TODO()`). */
  readonly as?: "inline" | "expression"
  /** Whether it must be refused is open to argument: shown by `--styles`, not counted. */
  readonly isOpen?: boolean
}

/** What styles ask of a function. */
export interface Shape {
  readonly form: FoundFunction["form"]
  /** What stands behind the parameters or before the name, as far as a result is written there. */
  readonly result: string
  readonly firstParameter: string | null
}

const always =
  (...lines: ReadonlyArray<string>) =>
  (): ReadonlyArray<string> =>
    lines
const style = (name: string, ...lines: ReadonlyArray<string>): Style => ({ name, lines: always(...lines) })
const when = (test: (shape: Shape) => boolean, made: Style): Style => ({
  ...made,
  lines: (shape) => (test(shape) ? made.lines(shape) : null)
})
const open = (made: Style): Style => ({ ...made, isOpen: true })
const as = (how: "inline" | "expression", made: Style): Style => ({ ...made, as: how })
const silenced = (name: string, statement: (parameter: string) => string, ...then: ReadonlyArray<string>): Style => ({
  name,
  lines: ({ firstParameter }) => (firstParameter === null ? null : [statement(firstParameter), ...then])
})

/** Styles that are the same with every line comment. */
const remarks = (mark: string): ReadonlyArray<Style> => [
  style("todo comment", `${mark} TODO`),
  style("todo comment with words", `${mark} TODO: implement login`),
  style("fixme comment", `${mark} FIXME: not done yet`),
  style("comment", `${mark} Checks the password and opens a session.`),
  style("several comments", `${mark} First the user is looked up,`, `${mark} then the session is opened.`)
]

const braces: ReadonlyArray<Style> = [
  style("empty body"),
  style("blank body", ""),
  ...remarks("//"),
  style("block comment", "/* TODO: implement */"),
  style("long block comment", "/*", " * Will check the password.", " */")
]

const isVoid = ({ result }: Shape): boolean =>
  /^(?:\s|static|async|const|public|private|protected|internal|override|virtual|final|inline|extern|->|:)*\b(?:void|Unit|Void)\b\s*$/.test(
    result
  )
const hasNull = (shape: Shape): boolean => !isVoid(shape)

const python: ReadonlyArray<Style> = [
  style("pass", "pass"),
  style("...", "..."),
  style("todo + pass", "# TODO", "pass"),
  style("todo words + pass", "# TODO: implement login", "pass"),
  style("fixme + pass", "# FIXME", "pass"),
  style("pass + todo", "pass  # TODO"),
  style("comment + pass", "# Checks the password and opens a session.", "pass"),
  style("todo comment only", "# TODO"),
  style("todo + ...", "# TODO: implement", "..."),
  style("docstring", '"""Log a user in."""'),
  style("long docstring", '"""Log a user in.', "", "Raises nothing at all.", '"""'),
  style("docstring + pass", '"""Log a user in."""', "pass"),
  style("docstring + ...", '"""Log a user in."""', "..."),
  style("docstring + raise", '"""Log a user in."""', "raise NotImplementedError"),
  style("docstring + todo + return None", '"""Log a user in."""', "# TODO: implement", "return None"),
  style("return", "return"),
  style("return None", "return None"),
  style("todo + return None", "# TODO: implement", "return None"),
  style("raise NotImplementedError", "raise NotImplementedError"),
  style("raise NotImplementedError()", "raise NotImplementedError()"),
  style("raise NotImplementedError with words", 'raise NotImplementedError("login is not implemented yet")'),
  style("todo + raise", "# TODO", "raise NotImplementedError"),
  style("raise Exception", 'raise Exception("not implemented")'),
  style("raise RuntimeError todo", 'raise RuntimeError("TODO: implement login")'),
  style("print", 'print("TODO")'),
  style("print + return None", 'print("not implemented")', "return None"),
  style("logger + return None", 'logger.warning("login: not implemented yet")', "return None"),
  silenced("silenced + pass", (name) => `_ = ${name}`, "pass"),
  silenced("del + raise", (name) => `del ${name}`, "raise NotImplementedError"),
  style("return NotImplemented", "return NotImplemented"),
  as("inline", style("inline pass", "pass")),
  as("inline", style("inline ...", "...")),
  style("assert False", 'assert False, "not implemented"'),
  open(style("todo + constant", "# TODO: implement", "return True")),
  open(style("todo + empty list", "# TODO: implement", "return []"))
]

const script: ReadonlyArray<Style> = [
  ...braces,
  style("return", "return"),
  style("return;", "return;"),
  style("return null", "return null;"),
  style("return undefined", "return undefined;"),
  style("todo + return null", "// TODO: implement", "return null;"),
  style("todo + return undefined", "// TODO", "return undefined;"),
  style("throw Error", 'throw new Error("not implemented");'),
  style("throw Error without semicolon", "throw new Error('Not implemented')"),
  style("throw Error todo", "throw new Error('TODO: implement login');"),
  style("throw Method not implemented", "throw new Error('Method not implemented.');"),
  style("throw NotImplementedError", "throw new NotImplementedError();"),
  style("todo + throw", "// TODO", 'throw new Error("Not implemented");'),
  style("log + return null", 'console.log("TODO");', "return null;"),
  style("warn", 'console.warn("not implemented");'),
  style("warn + return", 'console.warn("login is not implemented yet");', "return;"),
  style("reject", 'return Promise.reject(new Error("not implemented"));'),
  silenced("void + throw", (name) => `void ${name};`, 'throw new Error("not implemented");'),
  open(style("todo + constant", "// TODO: implement", "return true;")),
  open(style("todo + empty array", "// TODO: implement", "return [];"))
]

const arrows: ReadonlyArray<Style> = [
  as("expression", style("=> null", "null")),
  as("expression", style("=> undefined", "undefined")),
  as("expression", style("=> {}", "{}")),
  as("expression", style("=> { throw }", '{ throw new Error("not implemented"); }')),
  as("expression", style("=> { // TODO }", "{", "  // TODO: implement", "}"))
].map((made) => when(({ form }) => form === "expression", made))

const typed: ReadonlyArray<Style> = [
  style("return null as any", "return null as any;"),
  style("return undefined as never", "return undefined as never;"),
  style("return null!", "return null!;"),
  open(style("return {} as any", "return {} as any;"))
]

const isPointer = ({ result }: Shape): boolean => /\*\s*$/.test(result)

const c: ReadonlyArray<Style> = [
  ...braces,
  when(isVoid, style("return", "return;")),
  when(isVoid, style("todo + return", "/* TODO */", "return;")),
  when(isPointer, style("return NULL", "return NULL;")),
  when(isPointer, style("todo + return NULL", "// TODO: implement", "return NULL;")),
  style("abort", "abort();"),
  style("todo + abort", "/* TODO: implement */", "abort();"),
  style("assert", 'assert(0 && "not implemented");'),
  style("assert !", 'assert(!"TODO: implement");'),
  when(isVoid, style("print", 'fprintf(stderr, "not implemented\\n");')),
  when(isVoid, style("printf todo", 'printf("TODO\\n");')),
  when(isPointer, style("print + return NULL", 'fprintf(stderr, "TODO\\n");', "return NULL;")),
  when(
    isVoid,
    silenced("silenced", (name) => `(void)${name};`)
  ),
  silenced("silenced + abort", (name) => `(void)${name};`, "abort();"),
  when((shape) => !isVoid(shape) && !isPointer(shape), open(style("todo + return 0", "/* TODO */", "return 0;"))),
  when(
    (shape) => !isVoid(shape) && !isPointer(shape),
    open(style("todo + return -1", "return -1; /* not implemented */"))
  )
]

const cpp: ReadonlyArray<Style> = [
  ...c.filter(({ name }) => !name.includes("NULL")),
  when(isPointer, style("return nullptr", "return nullptr;")),
  when(isPointer, style("return NULL", "return NULL;")),
  when(isPointer, style("todo + return nullptr", "// TODO: implement", "return nullptr;")),
  style("throw runtime_error", 'throw std::runtime_error("not implemented");'),
  style("throw logic_error", 'throw std::logic_error("TODO: implement login");'),
  style("todo + throw", "// TODO", 'throw std::runtime_error("Not implemented");'),
  when(({ result }) => /optional\s*</.test(result), style("return nullopt", "return std::nullopt;")),
  when(hasNull, open(style("todo + return {}", "// TODO", "return {};")))
]

const primitive =
  /\b(?:int|long|short|byte|char|boolean|bool|float|double|decimal|u?int\d*|size_t|uint|ulong|ushort|sbyte)\s*$/
const isObject = (shape: Shape): boolean => !isVoid(shape) && !primitive.test(shape.result)

const java: ReadonlyArray<Style> = [
  ...braces,
  when(isVoid, style("return", "return;")),
  when(isObject, style("return null", "return null;")),
  when(isObject, style("todo + return null", "// TODO Auto-generated method stub", "return null;")),
  style("throw Unsupported", "throw new UnsupportedOperationException();"),
  style("throw Unsupported with words", 'throw new UnsupportedOperationException("Not implemented yet");'),
  style("throw Runtime", 'throw new RuntimeException("not implemented");'),
  style("throw IllegalState", 'throw new IllegalStateException("TODO: implement login");'),
  style("throw NotImplemented", "throw new NotImplementedException();"),
  style("todo + throw", "// TODO: implement", 'throw new UnsupportedOperationException("TODO");'),
  when(isVoid, style("print", 'System.out.println("TODO");')),
  when(isObject, style("print + return null", 'System.err.println("not implemented");', "return null;")),
  when(
    (shape) => primitive.test(shape.result),
    open(style("todo + constant", "// TODO Auto-generated method stub", "return 0;"))
  )
]

const csharp: ReadonlyArray<Style> = [
  ...braces,
  when(isVoid, style("return", "return;")),
  when(isObject, style("return null", "return null;")),
  when(isObject, style("todo + return null", "// TODO: implement", "return null;")),
  style("throw", "throw new NotImplementedException();"),
  style("throw with words", 'throw new NotImplementedException("login is not implemented yet");'),
  style("throw System", "throw new System.NotImplementedException();"),
  style("throw NotSupported", 'throw new NotSupportedException("Not implemented");'),
  style("throw Exception", 'throw new Exception("TODO: implement login");'),
  style("todo + throw", "// TODO", "throw new NotImplementedException();"),
  as("expression", style("=> throw", "=> throw new NotImplementedException();")),
  when(isObject, as("expression", style("=> null", "=> null;"))),
  when(isVoid, style("print", 'Console.WriteLine("TODO");')),
  when(isObject, style("print + return null", 'Console.WriteLine("not implemented");', "return null;")),
  when(
    isVoid,
    silenced("silenced", (name) => `_ = ${name};`)
  ),
  silenced("silenced + throw", (name) => `_ = ${name};`, "throw new NotImplementedException();"),
  open(style("return default", "return default;"))
]

const isPair = ({ result }: Shape): boolean => /^\s*\([^,]+,\s*(?:\w+\s+)?error\s*\)\s*$/.test(result)
const isError = ({ result }: Shape): boolean => /^\s*error\s*$/.test(result)
const isNone = ({ result }: Shape): boolean => result.trim() === ""
const isNilable = ({ result }: Shape): boolean =>
  /^\s*(?:\*|\[\]|map\[|error\b|interface|func|chan|any\b)[^,]*$/.test(result)

const go: ReadonlyArray<Style> = [
  ...braces,
  style("panic", 'panic("not implemented")'),
  style("panic todo", 'panic("TODO")'),
  style("panic with words", 'panic("implement me")'),
  style("todo + panic", "// TODO: implement login", 'panic("not implemented")'),
  style("panic errors.New", 'panic(errors.New("not implemented"))'),
  when(isNone, style("return", "return")),
  when(isNone, style("print", 'fmt.Println("TODO")')),
  when(isNone, style("log + return", 'log.Println("not implemented")', "return")),
  when(isNilable, style("return nil", "return nil")),
  when(isNilable, style("todo + return nil", "// TODO", "return nil")),
  when(isPair, style("return nil, nil", "return nil, nil")),
  when(isPair, style("return nil, error", 'return nil, errors.New("not implemented")')),
  when(isPair, style("return nil, fmt.Errorf", 'return nil, fmt.Errorf("login: not implemented yet")')),
  when(isPair, style("todo + return nil, nil", "// TODO: implement", "return nil, nil")),
  when(isError, style("return error", 'return errors.New("not implemented")')),
  when(isError, style("return fmt.Errorf", 'return fmt.Errorf("TODO: implement login")')),
  silenced("silenced + panic", (name) => `_ = ${name}`, 'panic("not implemented")'),
  when(
    isNone,
    silenced("silenced", (name) => `_ = ${name}`)
  )
]

const rust: ReadonlyArray<Style> = [
  ...braces,
  style("todo!()", "todo!()"),
  style("todo!();", "todo!();"),
  style("todo! with words", 'todo!("implement login")'),
  style("unimplemented!()", "unimplemented!()"),
  style("unimplemented! with words", 'unimplemented!("login is not written yet")'),
  style("panic!", 'panic!("not implemented")'),
  style("panic! todo", 'panic!("TODO");'),
  style("todo + todo!", "// TODO: implement", "todo!()"),
  silenced("silenced + todo!", (name) => `let _ = ${name};`, "todo!()"),
  when(isNone, style("return", "return;")),
  when(isNone, style("print", 'println!("TODO");')),
  when(({ result }) => /^\s*->\s*Option\b/.test(result), style("None", "None")),
  when(({ result }) => /^\s*->\s*Option\b/.test(result), style("return None", "return None;")),
  when(({ result }) => /^\s*->\s*Option\b/.test(result), style("todo + None", "// TODO", "None")),
  when(
    ({ result }) => /^\s*->\s*Option\b/.test(result),
    style("print + None", 'eprintln!("not implemented");', "None")
  ),
  when(({ result }) => /^\s*->\s*(?:\w+::)?Result\b/.test(result), style("Err", 'Err("not implemented".into())')),
  when(({ result }) => /^\s*->\s*(?:\w+::)?Result\b/.test(result), open(style("todo + Ok(())", "// TODO", "Ok(())")))
]

const ruby: ReadonlyArray<Style> = [
  style("empty body"),
  style("blank body", ""),
  ...remarks("#"),
  style("nil", "nil"),
  style("return", "return"),
  style("return nil", "return nil"),
  style("todo + nil", "# TODO: implement", "nil"),
  style("todo + return nil", "# TODO", "return nil"),
  style("raise", "raise NotImplementedError"),
  style("raise with words", 'raise NotImplementedError, "login is not implemented yet"'),
  style("raise new", 'raise NotImplementedError.new("not implemented")'),
  style("raise text", 'raise "not implemented"'),
  style("raise todo", "raise 'TODO: implement login'"),
  style("fail", "fail NotImplementedError"),
  style("todo + raise", "# TODO", "raise NotImplementedError"),
  style("puts", 'puts "TODO"'),
  style("puts + nil", 'puts "not implemented"', "nil"),
  silenced("silenced + nil", (name) => `_ = ${name}`, "nil"),
  open(style("todo + constant", "# TODO: implement", "true"))
]

const php: ReadonlyArray<Style> = [
  ...braces,
  style("hash todo", "# TODO: implement"),
  style("return", "return;"),
  style("return null", "return null;"),
  style("todo + return null", "// TODO: implement", "return null;"),
  style("throw Exception", "throw new \\Exception('Not implemented');"),
  style("throw Runtime", 'throw new \\RuntimeException("TODO: implement login");'),
  style("throw BadMethodCall", "throw new \\BadMethodCallException('Not implemented yet');"),
  style("throw Logic", "throw new LogicException('not implemented');"),
  style("todo + throw", "// TODO", "throw new \\Exception('not implemented');"),
  style("echo", "echo 'TODO';"),
  style("error_log + return null", "error_log('not implemented');", "return null;"),
  style("unset + throw", "/* later */", "throw new NotImplementedException();"),
  open(style("todo + constant", "// TODO: implement", "return true;")),
  open(style("todo + array", "// TODO: implement", "return [];"))
]

const isOptional = ({ result }: Shape): boolean => /\?\s*$/.test(result)

const kotlin: ReadonlyArray<Style> = [
  ...braces,
  style("TODO()", "TODO()"),
  style("TODO with words", 'TODO("Not yet implemented")'),
  style("todo + TODO()", "// TODO: implement login", "TODO()"),
  style("throw NotImplementedError", "throw NotImplementedError()"),
  style("throw Unsupported", 'throw UnsupportedOperationException("Not implemented")'),
  style("throw Runtime", 'throw RuntimeException("TODO: implement login")'),
  style("error()", 'error("not implemented")'),
  as("expression", style("= TODO()", "= TODO()")),
  as("expression", style("= TODO with words", '= TODO("Not yet implemented")')),
  as("expression", style("= throw", "= throw NotImplementedError()")),
  when(isOptional, as("expression", style("= null", "= null"))),
  when(isOptional, style("return null", "return null")),
  when(isOptional, style("todo + return null", "// TODO", "return null")),
  when(isNone, style("return", "return")),
  when(isNone, style("println", 'println("TODO")')),
  when(isNone, open(as("expression", style("= Unit", "= Unit"))))
]

const swift: ReadonlyArray<Style> = [
  ...braces,
  style("fatalError()", "fatalError()"),
  style("fatalError with words", 'fatalError("not implemented")'),
  style("fatalError todo", 'fatalError("TODO: implement login")'),
  style("preconditionFailure", 'preconditionFailure("not implemented")'),
  style("todo + fatalError", "// TODO", 'fatalError("Not implemented")'),
  when(isOptional, style("return nil", "return nil")),
  when(isOptional, style("nil", "nil")),
  when(isOptional, style("todo + return nil", "// TODO: implement", "return nil")),
  when(isOptional, style("print + return nil", 'print("not implemented")', "return nil")),
  when(isNone, style("return", "return")),
  when(isNone, style("print", 'print("TODO")')),
  silenced("silenced + fatalError", (name) => `_ = ${name}`, 'fatalError("not implemented")')
]

const scala: ReadonlyArray<Style> = [
  ...braces,
  style("???", "???"),
  style("todo + ???", "// TODO: implement", "???"),
  style("throw NotImplementedError", "throw new NotImplementedError"),
  style("throw Unsupported", 'throw new UnsupportedOperationException("not implemented")'),
  style("throw Runtime", 'throw new RuntimeException("TODO: implement login")'),
  style("sys.error", 'sys.error("not implemented")'),
  style("null", "null"),
  style("todo + null", "// TODO", "null"),
  as("expression", style("= ???", "= ???")),
  as("expression", style("= null", "= null")),
  as("expression", style("= throw", '= throw new NotImplementedError("login")')),
  when(({ result }) => /^\s*:\s*Option\b/.test(result), style("None", "None")),
  when(({ result }) => /^\s*:\s*Option\b/.test(result), as("expression", style("= None", "= None"))),
  when(isVoid, open(style("()", "()"))),
  when(isVoid, style("println", 'println("TODO")'))
]

const bash: ReadonlyArray<Style> = [
  style(":", ":"),
  style("true", "true"),
  style("return", "return"),
  style("todo + :", "# TODO", ":"),
  style("todo words + :", "# TODO: implement login", ":"),
  style("comment + :", "# Checks the password and opens a session.", ":"),
  style("todo + return", "# TODO: implement", "return"),
  style("todo + true", "# FIXME", "true"),
  style("echo", 'echo "TODO"'),
  style("echo bare", "echo TODO"),
  style("echo with words", 'echo "not implemented"'),
  style("echo + return 1", 'echo "not implemented" >&2', "return 1"),
  style("echo + exit 1", 'echo "login: not implemented yet" >&2', "exit 1"),
  style("todo comment only", "# TODO: implement"),
  style("comment only", "# Checks the password."),
  open(style("return 0", "return 0")),
  open(style("todo + return 0", "# TODO", "return 0"))
]

export const styles: Readonly<Record<Language, ReadonlyArray<Style>>> = {
  python,
  typescript: [...script, ...arrows, ...typed],
  tsx: [...script, ...arrows, ...typed],
  javascript: [...script, ...arrows],
  go,
  rust,
  java,
  c,
  cpp,
  csharp,
  ruby,
  php,
  kotlin,
  swift,
  scala,
  bash
}

// --- shapes -----------------------------------------------------------------------------------------------------

const behind: ReadonlySet<Language> = new Set<Language>([
  "go",
  "rust",
  "kotlin",
  "swift",
  "scala",
  "php",
  "typescript",
  "tsx"
])

const shapeOf = (language: Language, { form, head, name }: FoundFunction): Shape => {
  const at = Math.max(0, head.search(new RegExp(`(?<![\\w$])${name.replace(/\W/g, "\\$&")}(?![\\w$])\\s*[(<\\[]`)))
  const openAt = head.indexOf("(", at + name.length)
  const closeAt = openAt === -1 ? -1 : matching(head, openAt)
  const parameters = openAt === -1 ? "" : head.slice(openAt + 1, closeAt === -1 ? head.length : closeAt)
  const result = behind.has(language) ? (closeAt === -1 ? "" : head.slice(closeAt + 1)) : head.slice(0, at)
  return {
    form,
    result: result.replace(/=>?\s*$/, "").trim(),
    firstParameter: parameterOf(language, parameters)
  }
}

const matching = (text: string, at: number): number => {
  let depth = 0
  for (let i = at; i < text.length; i++) {
    if (text[i] === "(") depth++
    if (text[i] === ")" && --depth === 0) return i
  }
  return -1
}

/** A parameter's name, where it is plain to see. */
const parameterOf = (language: Language, parameters: string): string | null => {
  const first = parameters
    .split(",")
    .map((part) => part.trim())
    .find((part) => !/^(?:&?\s*(?:mut\s+)?self|this|cls)\b/.test(part))
  if (first === undefined || first === "") return null
  const found =
    language === "c" || language === "cpp" || language === "csharp" || language === "java"
      ? /^[\w\s*&:<>]*?[\s*&](?<name>[a-z_]\w*)$/.exec(first)
      : language === "swift"
        ? /^(?:\w+\s+)?(?<name>[a-z]\w*)\s*:/.exec(first)
        : /^(?<name>[a-z_]\w*)\??\s*(?:[:=\s]|$)/.exec(first)
  const name = found?.groups?.["name"] ?? null
  return name === null || /^(?:void|int|char|long|const|unsigned|static|_|mut|ref)$/.test(name) ? null : name
}

// --- texts ------------------------------------------------------------------------------------------------------

export interface Stubbed {
  readonly text: string
  /** Last line of the function in the new text. */
  readonly end: number
  /** Lines of the new body that hold more than blanks. */
  readonly bodyLines: ReadonlyArray<number>
}

/** The whole file with the body of one function replaced; all else, its head too, stays as it is. */
export const stubbed = (source: Source, found: FoundFunction, made: Style): Stubbed | null => {
  const { language, text } = source
  const lines = made.lines(shapeOf(language, found))
  if (lines === null) return null
  const placed = placedAs(source, found, made, lines)
  if (placed === null) return null
  const { from, replacement, to } = placed
  const rest = text.slice(found.outer.to === to ? to : found.outer.to)
  const tail = found.outer.to === to ? "" : text.slice(to, found.outer.to)
  const head = text.slice(0, from) + replacement + tail
  const end = head.split("\n").length
  const first = text.slice(0, from).split("\n").length
  const bodyLines = replacement.split("\n").flatMap((line, i) => (/[^\s{}]/.test(line) ? [first + i] : []))
  return { text: head + rest, end, bodyLines }
}

interface Placed {
  readonly from: number
  readonly to: number
  readonly replacement: string
}

const placedAs = (
  { language, text }: Source,
  found: FoundFunction,
  made: Style,
  lines: ReadonlyArray<string>
): Placed | null => {
  const { body, form, outer } = found
  const starts = lineStarts(text)
  const lineText = text.slice(starts[found.start - 1] ?? 0)
  const indent = /^[ \t]*/.exec(lineText)?.[0] ?? ""
  const bodyIndent = innerIndent(text, found, indent)
  const newline = text.includes("\r\n") ? "\r\n" : "\n"
  const indented = lines.map((line) => (line === "" ? "" : bodyIndent + line))
  if (language === "python") {
    const isInline = !/^[ \t]*$/.test(text.slice(text.lastIndexOf("\n", body.from - 1) + 1, body.from))
    if (made.as === "inline" && !isInline) {
      const colon = found.head.lastIndexOf(":")
      if (colon === -1) return null
      const from = body.from - (found.head.length - colon) + 1
      return { from, to: body.to, replacement: ` ${lines.join("; ")}` }
    }
    if (isInline)
      return lines.length === 1 && !lines[0]?.startsWith("#")
        ? { from: body.from, to: body.to, replacement: lines[0] ?? "" }
        : { from: body.from, to: body.to, replacement: newline + indented.join(newline) }
    return { from: body.from, to: body.to, replacement: indented.join(newline).slice(bodyIndent.length) }
  }
  if (language === "ruby" || language === "bash")
    return {
      from: body.from,
      to: body.to,
      replacement: [newline, ...indented.map((line) => line + newline), indent].join("")
    }
  if (made.as === "expression") return asExpression(language, text, found, lines)
  const inside = indented.length === 0 ? "" : newline + indented.map((line) => line + newline).join("") + indent
  if (form === "block") return { from: body.from, to: body.to, replacement: inside }
  // an expression becomes a block where the language tells them apart
  if (language === "typescript" || language === "tsx" || language === "javascript")
    return lines.length === 0 ? null : { from: outer.from, to: outer.to, replacement: `{${inside}}` }
  return null
}

const asExpression = (
  language: Language,
  text: string,
  found: FoundFunction,
  lines: ReadonlyArray<string>
): Placed | null => {
  const { form, outer } = found
  const [line = ""] = lines
  if (language === "typescript" || language === "tsx" || language === "javascript") {
    const indent = /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", outer.from) + 1))?.[0] ?? ""
    return form === "expression" ? { from: outer.from, to: outer.to, replacement: lines.join(`\n${indent}`) } : null
  }
  if (form === "expression") {
    const bare = line.replace(/^=>?\s*/, "").replace(/;$/, "")
    return { from: outer.from, to: outer.to, replacement: bare }
  }
  // `= {` becomes `= ???`
  const hasSign = /=\s*$/.test(found.head)
  if (language === "csharp" && /\b(?:get|set)\s*$/.test(found.head)) return null
  return { from: outer.from, to: outer.to, replacement: hasSign ? line.replace(/^=\s*/, "") : line }
}

const innerIndent = (text: string, { body }: FoundFunction, indent: string): string => {
  const first = /\n([ \t]+)\S/.exec(text.slice(body.from - 1, body.from + 2_000))?.[1]
  const own = /^[ \t]*$/.exec(text.slice(text.lastIndexOf("\n", body.from - 1) + 1, body.from))?.[0]
  if (own !== undefined && own.length > indent.length) return own
  if (first !== undefined && first.length > indent.length && first.startsWith(indent)) return first
  return indent + (/^\t/m.test(text) ? "\t" : "    ")
}
