import type { Language } from "../../../text/languages.ts"

/** What a language without a grammar says in words of its own, beside those that many have. Of a statement or a head. */
export interface Dialect {
  /** Does nothing: parameters in a body, what a file gives away, the type of a function, a name of what stands elsewhere. */
  readonly idle?: RegExp
  /** A type, complete in one statement. */
  readonly declared?: RegExp
  /** The head of a block that is a part of its function. */
  readonly block?: RegExp
  /** What its parameters begin with, where they are a statement of its body, up to their bracket. */
  readonly parameters?: RegExp
  /** The head of a type. */
  readonly type?: RegExp
  /** The head of what holds functions. */
  readonly class?: RegExp
  readonly function?: RegExp
  /** The head of a function whose body may stand on its line, up to that body. */
  readonly inline?: RegExp
  /** Says that something is still to be written. */
  readonly stub?: RegExp
  /** What has this form may fail for another reason: it is a stub only where its text says so. */
  readonly isStubSaid?: boolean
  /** A function is written as several cases, one behind the other. */
  readonly hasCases?: boolean
}

const none: Dialect = {}

export const dialectOf = ({ name }: Language): Dialect => dialects[name] ?? none

const dialects: Readonly<Record<string, Dialect>> = {
  // of Objective-C
  c: { function: /^[-+]\s*\([^()]*\)\s*\w/ },
  elixir: {
    declared: /^(?:@(?:type|typep|opaque|callback|enforce_keys)\b|defstruct\b)[\s\S]*$/,
    inline: /^(?:defp?|defmacrop?)\s[\s\S]*?,\s*do:/,
    hasCases: true
  },
  erlang: {
    idle: /^-(?:module|export|export_type|import|include|include_lib|behaviou?r|compile|author|spec|vsn|doc|moduledoc)\b[\s\S]*$/,
    declared: /^-(?:record|type|opaque|define)\b[\s\S]*$/,
    function: /->$/,
    inline: /^[a-z]\w*\s*\((?:[^-]|-(?!>))*->/,
    hasCases: true
  },
  haskell: {
    idle: /^[a-z][\w']*(?:\s*,\s*[a-z][\w']*)*\s*::?(?!=)\s[^=]*(?:=>[^=]*)*$|^\([\s\S]*\)\s*where$/,
    declared: /^(?:deriving|instance)\b[^=]*$/,
    type: /^class\b/,
    class: /^instance\b/,
    inline: /^[a-z][\w']*(?:\s+[\w'()[\]:,_]+)*\s*=(?![=>])/,
    hasCases: true
  },
  julia: {
    inline: /^(?:function\s+[\w.!]+\s*\([^()]*\)(?=[^\n]*\bend$)|[\w.!]+\([^()]*\)\s*=(?!=))/
  },
  move: { stub: /^abort\s+(?:\d+|E_?NOT_?IMPLEMENTED|E?NotImplemented)$/i },
  nix: {
    stub: /^[\w.'-]+\s*=\s*(?:throw|abort)\b[\s\S]*$/,
    isStubSaid: true
  },
  raku: { stub: /^(?:\.\.\.|!!!|\?\?\?)$/ },
  lua: {
    idle: /^local\s+\w+\s*=\s*\{\s*\}$/,
    inline: /^(?:(?:local\s+)?function\s*[\w.:]*|(?:local\s+)?[\w.]+\s*=\s*function)\s*\([^()]*\)(?=[^\n]*\bend$)/
  },
  ml: {
    declared: /^exception\s[\s\S]*$/,
    class: /^type\s+\w+\s*\(/,
    function: /^(?:let\s+(?:rec\s+|inline\s+)?\w+\s*[:(]|(?:static\s+)?(?:member|override|default)\s)/,
    inline:
      /^(?:let\s+(?:rec\s+|inline\s+|mutable\s+)?[a-z_][\w']*(?=[\s(:])|(?:static\s+)?(?:member|override|default)\s)[^=]*=(?!=)/
  },
  nim: {
    inline: /^(?:proc|func|method|iterator|template)\s[^(=]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?[^=]*=(?!=)/
  },
  perl: {
    idle: /^(?:my\s*\([^()]*\)\s*=\s*@_|our\s+@EXPORT(?:_OK)?\s*=\s*(?:qw\s*)?[(<[{/][\s\S]*|my\s+\$\w+\s*=\s*shift|__PACKAGE__)$/
  },
  powershell: {
    block: /^(?:begin|clean|dynamicparam|end|process)$/i,
    parameters: /^(?:\[[\s\S]*\]\s*)?param\s*(?=\()/i,
    type: /^enum\s/i,
    function: /^(?:hidden\s+|static\s+)*(?:\[[\w[\].]+\]\s*)?\w+\s*\([^()]*\)$/
  },
  tcl: {
    idle: /^(?:package\s+(?:require|provide)|namespace\s+(?:export|ensemble|import))\b[\s\S]*$/,
    class: /^(?:namespace\s+eval|oo::(?:class\s+create|define))\s/,
    function: /^(?:proc|method|constructor|destructor)\s/
  },
  vb: {
    idle: /^(?:Imports|Option|Inherits|Implements)\s[\s\S]*$/i,
    declared:
      /^(?:(?:public|private|friend|protected|shared|readonly|overrides|default)\s+)*property\s+\w+(?:\([^()]*\))?\s+as\s[^=]*$/i,
    type: /^(?:enum|structure|interface|delegate)\s/i,
    function: /^(?:function|sub|property|operator)\s/i
  },
  zig: {
    idle: /^(?:pub\s+)?const\s+\w+\s*=\s*\w+(?:\.\w+)+$/,
    type: /^const\s+\w+\s*=\s*(?:extern\s+|packed\s+)?(?:struct|union|enum|error|opaque)\b/
  }
}
