/** Whether an expression may do something beside giving a value. */
import type { Node } from "web-tree-sitter"
import { escaped, wordOf } from "./shape.ts"

/** Every call does, but for questions; so do assignments, waiting, and what leaves the function. */
export const mayAct = (expression: Node, language: string): boolean =>
  (language !== "bash" && /\+\+|--|<-/.test(expression.text)) ||
  expression.descendantsOfType(acting).some((one) => one !== null && !isQuestion(one)) ||
  (language === "ruby" && callsByName(expression))

const calls =
  "call call_expression method_invocation invocation_expression function_call_expression member_call_expression nullsafe_member_call_expression scoped_call_expression macro_invocation constructor_expression"
const others =
  "object_creation_expression new_expression instance_expression assignment assignment_expression augmented_assignment augmented_assignment_expression compound_assignment_expr operator_assignment named_expression update_expression await await_expression try_expression yield yield_expression throw_expression raise_expression command_substitution process_substitution shell_command_expression delete_expression include_expression include_once_expression require_expression require_once_expression print_intrinsic exit_statement jump_expression return_expression lambda lambda_expression block do_block statement_block"
const acting = `${calls} ${others}`.split(" ")
const isCall = new Set(calls.split(" "))

/** A call that only asks: by its name it tells how something is, or makes a value of another. */
const isQuestion = (node: Node): boolean => isCall.has(node.type) && question.test(nameOf(node))

const nameOf = (call: Node): string => {
  const named =
    call.childForFieldName("name") ??
    call.childForFieldName("method") ??
    call.childForFieldName("macro") ??
    call.childForFieldName("function") ??
    call.firstNamedChild
  return /(\w+[?!]?)(?:\s*(?:<[^<>]*>|::<[^<>]*>|\[[^[\]]*\]))?$/.exec(named?.text ?? "")?.[1] ?? ""
}

const words = [
  "len length size count strlen cap abs min max sum floor ceil round sqrt pow ord chr typeof type isinstance issubclass hasattr getattr callable",
  "any all some every none int float str bool string number boolean parseInt parseFloat toString to_string to_s to_i String Number Boolean",
  "lower upper toLowerCase toUpperCase lowercase uppercase downcase upcase strip trim lstrip rstrip trimmed TrimSpace ToLower ToUpper strtolower strtoupper",
  "split join index indexOf lastIndexOf index_of charAt at substring substr slice keys values items first last",
  "contains includes include has hasOwnProperty containsKey contains_key exists matches match test equals equalsIgnoreCase EqualFold compare compareTo strcmp strncmp strcasecmp memcmp",
  "in_array array_key_exists isset empty is_a defined present blank nil respond_to as_ref as_str as_deref unwrap_or"
].join(" ")
const question = new RegExp(
  `^(?:(?:${words
    .split(" ")
    .map(
      (word) =>
        `${word.charAt(0).replace(/./, (first) => `[${first.toLowerCase()}${first.toUpperCase()}]`)}${escaped(word.slice(1))}`
    )
    .join(
      "|"
    )})[?]?|_*(?:[iI]s|[hH]as|[cC]an|[aA]re|[wW]as|[cC]ontains|[sS]tarts?|[eE]nds?|[hH]asPrefix)(?:[A-Z_]\\w*|(?:with|swith)\\w*)[?]?|\\w+\\?)$`
)

/** In Ruby a name by itself may be a call; it is none where the method is given it or keeps something under it. */
const callsByName = (expression: Node): boolean =>
  expression.descendantsOfType("identifier").some((one) => {
    if (one === null || isPart(one)) return false
    const around = methodAround(one)
    const [head = ""] = around.split("\n", 1)
    const word = wordOf(one.text)
    return (
      !new RegExp(`\\b(?:def|do|lambda)\\b.*${word}|\\|[^|]*${word}`).test(head) &&
      !new RegExp(`${word}\\s*(?:[|&+*-]{0,2}=(?!=)|,|\\))`).test(around.slice(0, one.startIndex))
    )
  })

/** Of a call, of which its name says what it is. */
const isPart = ({ id, parent }: Node): boolean =>
  parent?.type === "call" && parent.childForFieldName("method")?.id === id

const methodAround = (node: Node): string => {
  for (let at = node.parent; at !== null; at = at.parent) if (/method$/.test(at.type)) return at.text
  return ""
}
