import type { YAMLError } from "yaml"
import { quoted } from "../../options/words.ts"

/** A YAML error in plain words. */
export interface Translation {
  readonly code: string
  readonly message: string
  readonly hint: string
  /** True when only the value at that place is wrong, false when everything behind it may have been misread. */
  readonly local: boolean
}

interface Rule {
  readonly when: RegExp
  readonly message: string
  readonly hint: string
  readonly code?: string
  readonly local?: true
}

const quoteHint = "Put the whole text in quotes."
const alignHint = "Indent it with spaces, exactly like the lines beside it."

/**
 * By the parser's own message, the first that fits; `$1`, `$2` are the groups of the expression.
 * The names in the messages are those of yaml 2, so an update of that package needs a look at this table.
 */
const rules: ReadonlyArray<Rule> = [
  {
    when: /^Tabs are not allowed as indentation/,
    code: "yaml_tab",
    message: "This line is indented with a tab, which YAML does not allow.",
    hint: "Indent with spaces."
  },
  {
    when: /^Nested mappings are not allowed in compact mappings/,
    message: "This line holds a second `key: value`, which YAML does not allow on one line.",
    hint: "Put the text in quotes if the colon belongs to it; otherwise start the inner key on a line of its own."
  },
  {
    when: /^A block sequence may not be used as an implicit map key/,
    message: "A list item stands where a key is expected.",
    hint: "Indent it like the items that it belongs to."
  },
  {
    when: /^Unexpected block-seq-ind on same line with key/,
    message: "A list cannot begin on the line of its key.",
    hint: "Start the list with `- ` on the next line."
  },
  {
    when: /^All mapping items must start at the same column/,
    message: "This key is not indented like the keys beside it.",
    hint: alignHint
  },
  {
    when: /^All sequence items must start at the same column/,
    message: "This list item is not indented like the items beside it.",
    hint: alignHint
  },
  {
    when: /^Sequence item without - indicator/,
    message: "This line stands in a list but does not begin with a dash.",
    hint: "Begin it with `- `, or indent it like the keys of the item above."
  },
  {
    when: /^Implicit map keys need to be followed by map values/,
    message: "Here a `key: value` is expected, but there is no colon.",
    hint: "Write a colon and a blank after the key, or indent the text if it continues the value above."
  },
  {
    when: /^Implicit keys/,
    message: "The text that begins here runs on into the next line, where YAML expects a key on one line.",
    hint: "Check the indentation of the next line, and whether a colon or a quote is missing in this one."
  },
  {
    when: /^The : indicator must be at most 1024 chars/,
    message: "This key is longer than 1,024 characters.",
    hint: "Put the whole text in quotes if it is not meant as a key."
  },
  {
    when: /^Missing closing (["'])quote/,
    message: "A text that begins with $1 has no closing $1.",
    hint: "Close it with $1, or remove the quote at its start."
  },
  {
    when: /^Invalid escape sequence (.*)/s,
    message: "The text in double quotes holds $1, which is no escape of YAML.",
    hint: "Write two backslashes for one backslash, or use single quotes.",
    local: true
  },
  {
    when: /^Plain value cannot start with a tab/,
    code: "yaml_tab",
    message: "A tab stands before this value.",
    hint: "Replace it by a blank.",
    local: true
  },
  {
    when: /^Plain value cannot start with .* (\S)$/,
    message: "A text without quotes cannot begin with $1.",
    hint: quoteHint,
    local: true
  },
  {
    when: /^Block scalars? .*(?:more-indented leading empty lines)/,
    message: "The empty lines at the start of this text are indented deeper than the text itself.",
    hint: "Remove the blanks from the empty lines."
  },
  {
    when: /^Block scalar (?:values|lines)/,
    message: "This text is not indented deeply enough to belong to its key.",
    hint: "Indent its lines with spaces, deeper than the key."
  },
  {
    when: /^Block scalar header includes extra characters: (.*)/s,
    message: "Behind `|` or `>` stands more than YAML allows: $1.",
    hint: "Start the text on the next line, indented deeper than its key."
  },
  {
    when: /^Unexpected token in block scalar header|^Block scalar header not found/,
    message: "The text that begins with `|` or `>` cannot be read.",
    hint: "Write `|` alone behind the key and start the text on the next line."
  },
  {
    when: /^Comments must be separated/,
    message: "A comment begins right behind another character.",
    hint: "Write a blank before the `#`, or put the text in quotes if the `#` belongs to it."
  },
  {
    when: /^Block collections are not allowed within flow collections/,
    message: "An indented list or mapping cannot stand inside brackets.",
    hint: "Use brackets inside as well, or indented lines outside."
  },
  {
    when: /^Flow (?:map|sequence).* end with a (.)/,
    message: "A bracket is opened here but not closed: $1 is missing.",
    hint: "Add $1 at the end, indented deeper than the key it belongs to."
  },
  {
    when: /^Missing , (?:or : )?between flow/,
    message: "Between two values in brackets a comma is missing.",
    hint: "Separate them with a comma."
  },
  {
    when: /^Missing space after : in flow/,
    message: "After the colon a blank is missing.",
    hint: "Write a blank after the colon, or put the text in quotes."
  },
  {
    when: /^Unexpected (?:, in flow|empty item in flow)/,
    message: "Inside the brackets a comma stands without a value before it.",
    hint: "Remove the comma or add the value."
  },
  {
    when: /^Unexpected (?:flow-map-end|flow-seq-end) token/,
    message: "A closing bracket stands here that was never opened.",
    hint: "Remove it, or put the text in quotes."
  },
  {
    when: /^Unexpected (\S+) at node end/,
    message: "The value before this is complete, but more text follows.",
    hint: "Put the whole text in quotes, or separate two values in brackets with a comma."
  },
  {
    when: /^Tags and anchors must be separated/,
    message: "A tag (`!`) or anchor (`&`) stands right beside other text.",
    hint: "Write a blank behind it, or put the text in quotes if it is not meant as one."
  },
  {
    when: /^Anchors and tags must be after the (.) indicator|^Missing newline after block sequence props/,
    message: "A tag (`!`) or anchor (`&`) stands at the wrong place.",
    hint: "Write it right before its value, or put the text in quotes if it is not meant as one."
  },
  {
    when: /^A node can have at most one (anchor|tag)/,
    message: "A value has more than one $1.",
    hint: "Keep one, or put the text in quotes.",
    local: true
  },
  {
    when: /^An alias node must not specify any properties/,
    message: "An alias (`*name`) carries a tag or an anchor.",
    hint: "Write the alias alone.",
    local: true
  },
  {
    when: /^(?:Anchor|Alias) cannot be an empty string/,
    message: "A `*` or `&` stands here without a name.",
    hint: `${quoteHint.slice(0, -1)} if it is not meant as an alias or anchor.`,
    local: true
  },
  {
    when: /^(?:Anchor|Alias) ending in : is ambiguous/,
    message: "The name of an alias or anchor ends with a colon.",
    hint: "Write a blank before the colon.",
    local: true
  },
  {
    when: /^Unresolved tag: tag:yaml\.org,2002:(int|float|bool|null|map|seq)$/,
    code: "yaml_unknown_tag",
    message: "The value does not fit its tag !!$1.",
    hint: "Remove the tag, or put the text in quotes if it belongs to it.",
    local: true
  },
  {
    when: /^Unresolved tag: (.*)/s,
    code: "yaml_unknown_tag",
    message: "The tag $1 is not known.",
    hint: "Remove it, or put the text in quotes if it belongs to it.",
    local: true
  },
  {
    when: /^Flow end indicator should be more indented than parent/,
    message: "The closing bracket is not indented deeper than the key it belongs to.",
    hint: "Indent it with spaces.",
    local: true
  },
  {
    when: /^Missing directives-end/,
    message: "A line that begins with % is read as a directive, and the `---` behind it is missing.",
    hint: "Put the text in quotes, or add a line `---` below the directives."
  },
  {
    when: /^Block collection cannot start on same line with directives-end marker/,
    message: "The content begins on the line of the `---`.",
    hint: "Start it on the next line."
  },
  {
    when: /^Unexpected (?:doc-end|doc-start)/,
    message: "A line `...` or `---` stands where it cannot stand.",
    hint: "Remove it."
  },
  {
    when: /^Unexpected \S+ token|^Unexpected \S+ in|^Not a YAML token|^Unsupported token/,
    message: "This text cannot stand here.",
    hint: "Check the indentation, quotes and brackets of this line and the one above."
  }
]

const filled = (template: string, match: RegExpExecArray): string =>
  template.replaceAll(/\$(\d)/g, (_, group: string) => {
    const text = match[Number(group)] ?? ""
    return text.length > 60 || /\p{C}/u.test(text) ? quoted(text) : text
  })

/** What the codes mean when no rule knows the message. */
const byCode: Partial<Record<YAMLError["code"], Omit<Translation, "code">>> = {
  TAG_RESOLVE_FAILED: {
    message: "The value does not fit the tag (`!`) before it.",
    hint: "Remove the tag, or put the text in quotes if it belongs to it.",
    local: true
  },
  BAD_COLLECTION_TYPE: {
    message: "The tag (`!`) before this list or mapping belongs to another kind of value.",
    hint: "Remove the tag.",
    local: true
  },
  BAD_DIRECTIVE: {
    message: "A line that begins with % is read as a directive, but is none that YAML knows.",
    hint: "Remove the line, or put the text in quotes.",
    local: true
  },
  RESOURCE_EXHAUSTION: {
    message: "Lists and mappings are nested too deeply here to be read.",
    hint: "The file is not of the expected shape; start again from the template.",
    local: false
  }
}

const unknown: Omit<Translation, "code"> = {
  message: "This is not valid YAML.",
  hint: "Check the indentation, quotes and brackets of this line and the one above.",
  local: false
}

export const translate = (error: Pick<YAMLError, "code" | "message">): Translation => {
  if (error.code === "RESOURCE_EXHAUSTION") return { code: "yaml_too_deep", ...unknown, ...byCode.RESOURCE_EXHAUSTION }
  for (const rule of rules) {
    const match = rule.when.exec(error.message)
    if (match === null) continue
    return {
      code: rule.code ?? "yaml_syntax",
      message: filled(rule.message, match),
      hint: filled(rule.hint, match),
      local: rule.local ?? false
    }
  }
  return { code: "yaml_syntax", ...(byCode[error.code] ?? unknown) }
}
