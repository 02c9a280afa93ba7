/** Values that are written out: nothing of what is around them is in them. */

/** Longer ones put something together. */
const maxLength = 400

/** What stands for a value while the text is read. */
const V = "¤"

/**
 * Whether all of an expression is written out, however its language spells that: `List.of("a")`, `make(map[string]Item), nil`,
 * `new Promise((done) => done([]))`. Its parts are made values, from the innermost one on, until one is left. Pure.
 */
export const isWritten = (expression: string, language: string): boolean => {
  if (expression.length > maxLength || expression.includes(V)) return false
  // what PHP is configured with
  if (language === "php" && /^(?:\[|array\()\s*[^\s\])]/.test(expression)) return false
  let text = withoutTypes(atoms(expression.trim().replace(/;$/, ""), language), language)
  for (let last = ""; last !== text; ) {
    last = text
    text = rules.reduce((left, [form, made]) => left.replace(form, made), text)
  }
  return new RegExp(`^\\s*${V}(?:\\s*,\\s*${V})*\\s*$`).test(text)
}

const atoms = (text: string, language: string): string => {
  const left = text
    .replace(quoted, (_, prefix: string, __, said: string) =>
      (/[$#]\{|\\\(|\$[A-Za-z_]/.test(said) && !/^[rR@]/.test(prefix)) || (/[fF$]/.test(prefix) && said.includes("{"))
        ? " value "
        : V
    )
    .replace(/(?<![\w$.])-?\.?\d[\w.]*(?!\w)/g, V)
    .replace(words, V)
  if (language === "ruby") return left.replace(/%[wi]\[[^\]]*\]|(?<![\w:]):[a-z_]\w*[?!]?(?!:)/g, V)
  return language === "go" ? left.replace(madeInGo, V) : left
}

const quoted = /(?<![\w$])([bfruBFRU@$]{0,2})("""|["'`])((?:\\[\s\S]|(?!\2)[\s\S])*)\2/g

const words =
  /(?<![\w$.>@-]|(?<!\bstd):)(?:[tT]rue|[fF]alse|TRUE|FALSE|null|NULL|nullptr|nil|None|Nil|undefined|NaN|Infinity|default|(?:std::)?nullopt|(?:List|Seq|Vector|Map|Set|Array|Option|Iterator|IndexedSeq|String)\.empty(?!\w)|(?:Array|Hash|Set|String)\.new(?![\w(]))(?![\w$.]|\s*(?:\(|:(?!:)|=>))/g

/** `make([]Item, 0)`, `new(Item)` */
const madeInGo = new RegExp(`\\b(?:make|new)\\(\\s*[\\w.*[\\]{}]+(?:\\s*,\\s*${V})*\\s*\\)`, "g")

/** Types that change nothing of a value. */
const withoutTypes = (text: string, language: string): string => {
  if (language === "scala") return text.replace(/(?<=[\w¤])\[[\w\s,.[\]]*\]/g, "")
  if (language === "go") return text.replace(/[&*]?(?:map\[[\w.*]+\])?(?:\[\w*\])*[\w.*]*(?=\{)/g, "")
  if (!generic.has(language)) return text
  let left = text
  for (let last = ""; last !== left; ) {
    last = left
    left = left.replace(/(?<=[\w.])(?:::)?<[\w\s.,:?&*|[\]]*>/g, "")
  }
  return left
    .replace(/\s+(?:as[!?]?|satisfies)\s+[\w.$[\]|& ?]+?(?=\s*[),\]}]|$)/g, "")
    .replace(/\[[\w\s.:?]+\](?=\(\s*\))/g, "Set")
}

const generic = new Set(["javascript", "typescript", "tsx", "java", "csharp", "kotlin", "swift", "rust", "cpp"])

const pure = [
  "emptyList emptyMap emptySet emptySequence emptyArray listOf mapOf setOf mutableListOf mutableMapOf mutableSetOf arrayListOf hashMapOf hashSetOf linkedMapOf arrayOf intArrayOf",
  "List.of Set.of Map.of Arrays.asList Collections.emptyList Collections.emptyMap Collections.emptySet Collections.singletonList Optional.of Optional.empty CompletableFuture.completedFuture",
  "Task.FromResult ValueTask.FromResult Enumerable.Empty Array.Empty",
  "Some Right Ok Future.successful List.empty Seq.empty Map.empty Set.empty",
  "int float str bool bytes list dict set tuple frozenset array array_merge intval strval",
  "Array.from Array.of Object.freeze Object.create Object.fromEntries JSON.parse Promise.resolve Number String Boolean",
  "Array.new Hash.new Set.new String.new String::from HashMap::from Box::new Arc::new Rc::new Result.success"
]
  .join(" ")
  .split(" ")
  .map((name) => name.replaceAll(".", "\\."))
  .join("|")

const kept =
  "ArrayList|LinkedList|(?:Linked)?Hash(?:Map|Set)|Tree(?:Map|Set)|ArrayDeque|List|Dictionary|Queue|Stack|Map|Set|WeakMap|Array|ArrayObject|stdClass|StringBuilder"

const inStd =
  "vector|string|map|set|list|deque|unordered_map|unordered_set|optional|pair|make_pair|tuple|make_tuple|array"

/** What changes nothing of a value but its kind. */
const same =
  "to(?:List|Set|Map|String|Array|_vec|_string|_owned|_a|_s)|To(?:List|Array|HashSet|String)|freeze|dup|clone|copy|slice"

const list = `\\s*(?:(?:\\w+\\s*[:=]\\s*)?${V}(?:\\s*,\\s*(?:\\w+\\s*[:=]\\s*)?${V})*\\s*,?)?\\s*`

const rules: ReadonlyArray<readonly [form: RegExp, made: string]> = [
  // `{ a: 1 }`, `'a' => 1`, `"a" to 1`
  [new RegExp(`(?<=[{[(,]\\s*)(?:\\w+|${V})\\s*(?::|=>|->|=(?!=)|\\bto\\b)\\s*${V}(?=\\s*[,}\\])])`, "g"), V],
  [
    new RegExp(
      `\\bnew\\s+(?:\\w+\\.)*(?:${kept})(?:\\s*\\(${list}\\))?(?:\\s*\\{${list}\\})?(?=\\s*(?:[),;.}\\]]|$))`,
      "g"
    ),
    V
  ],
  [new RegExp(`\\bnew(?:\\s+\\w+)?\\s*\\[\\s*${V}?\\s*\\](?:\\s*\\{${list}\\})?`, "g"), V],
  [
    new RegExp(
      `\\bnew\\s+Promise\\s*\\(\\s*\\(?\\s*(\\w+)(?:\\s*,\\s*\\w+)?\\s*\\)?\\s*=>\\s*\\{?\\s*\\1\\(${list}\\)\\s*;?\\s*\\}?\\s*\\)`,
      "g"
    ),
    V
  ],
  [new RegExp(`(?<![\\w$.:])(?:typing\\.)?cast\\(\\s*[\\w.[\\], |]+,\\s*${V}\\s*\\)`, "g"), V],
  [new RegExp(`(?<![\\w$.:])(?:std::)(?:${inStd})\\s*(?:\\(${list}\\)|\\{${list}\\})`, "g"), V],
  [new RegExp(`(?<![\\w$.:])(?:${pure})\\s*\\(${list}\\)`, "g"), V],
  [/(?<![\w$.:])(?:List|Seq|Vector|Map|Set|Array|Dictionary)\(\s*\)/g, V],
  [/(?<![\w$.:])(?:[A-Z]\w*::)+(?:new|default|empty)\(\s*\)/g, V],
  [new RegExp(`(?<![\\w$])vec!\\s*\\[${list}\\]`, "g"), V],
  [new RegExp(`${V}\\.(?:${same})(?:\\(\\s*\\)|(?![\\w(]))`, "g"), V],
  [new RegExp(`(?<![\\w$)\\]}${V}!]\\s?)(?:\\[${list}\\]|\\(${list}\\)|\\{${list}\\})`, "g"), V],
  [new RegExp(`(?<![\\w$)\\]${V}]\\s*)(?:[-+!~&]|\\b(?:not|await)\\s)\\s*${V}`, "g"), V],
  // a cast
  [new RegExp(`\\((?:[a-z]+|[A-Z]\\w*)\\)\\s*${V}`, "g"), V],
  [new RegExp(`${V}\\s*(?:[-+*/%.]|\\|\\||&&|\\?\\?)\\s*${V}`, "g"), V]
]
