import "./code.css"
import { CopyButton } from "../CopyButton.tsx"
import { visible } from "./visible.ts"

/** A hash or another id, with a button that puts it on the clipboard. */
export const Copied = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <span className="copied">
    <code>{visible(text)}</code>
    <CopyButton text={text} label={what} />
  </span>
)
