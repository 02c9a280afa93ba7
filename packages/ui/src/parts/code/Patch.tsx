import "./code.css"
import { visible } from "./visible.ts"

/** A unified diff of one file, with what came and went in colours and signs. */
export const Patch = ({ label, text }: { readonly text: string; readonly label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrolled by keyboard too
  <section className="code patch" aria-label={label} tabIndex={0}>
    <pre>
      {text
        // behind the names of the files; a line that went may begin with what a name begins with
        .slice(Math.max(0, text.search(/^@@/m)))
        .trimEnd()
        .split("\n")
        .map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          <span key={i} className={`patch-line ${kindOf(line)}`}>
            {line === "" ? <br /> : visible(line)}
          </span>
        ))}
    </pre>
  </section>
)

const kindOf = (line: string): string => {
  if (line.startsWith("@@")) return "patch-place"
  return line.startsWith("+") ? "patch-added" : line.startsWith("-") ? "patch-removed" : ""
}
