import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const list = `import { useState } from "react"
import type { Task } from "../model"

interface Props {
  tasks: Task[]
}

export function TaskList({ tasks }: Props) {
  const [open, setOpen] = useState<string | null>(null)
  return (
    <ul className="tasks">
      {tasks.map((task) => (
        <li key={task.id} onClick={() => setOpen(task.id)}>
          {task.title}
          {open === task.id && <p>{task.description}</p>}
        </li>
      ))}
    </ul>
  )
}
`

const css = `.tasks {
  list-style: none;
  padding: 0;
}

.tasks li {
  padding: 4px 8px;
}
`

const html = `<!doctype html>
<html lang="en">
  <head>
    <title>Tasks</title>
  </head>
  <body>
    <div id="root"></div>
  </body>
</html>
`

/** A component with a style, a page and a test. */
export const tsx: Session = {
  name: "TSX: filter the list of tasks",
  before: { "src/components/TaskList.tsx": list, "src/tasks.css": css, "index.html": html },
  after: {
    "src/components/TaskList.tsx": edited(
      list,
      [
        `import type { Task } from "../model"\n`,
        `import type { Task } from "../model"\nimport { Filter } from "./Filter"\n`
      ],
      ["  tasks: Task[]\n", "  tasks: Task[]\n  /** Shown where there are none. */\n  placeholder?: string\n"],
      ["{ tasks }: Props", `{ tasks, placeholder = "Nothing to do." }: Props`],
      [
        "  return (\n",
        `  const [text, setText] = useState("")
  const shown = tasks.filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()))
  if (tasks.length === 0) return <p className="empty">{placeholder}</p>
  return (
`
      ],
      [
        `    <ul className="tasks">\n`,
        `    <>\n      <Filter value={text} onChange={setText} />\n    <ul className="tasks">\n`
      ],
      ["{tasks.map(", "{shown.map("],
      ["    </ul>\n", "    </ul>\n    </>\n"]
    ),
    "src/components/Filter.tsx": `export const Filter = ({ value, onChange }: { value: string; onChange: (text: string) => void }) => (
  <input
    type="search"
    aria-label="Filter tasks"
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
)
`,
    "src/tasks.css": edited(css, ["padding: 4px 8px;", "padding: 8px;\n  cursor: pointer;"]),
    "index.html": edited(html, [
      "    <title>Tasks</title>\n",
      `    <meta name="viewport" content="width=device-width, initial-scale=1" />\n    <title>Tasks</title>\n`
    ]),
    "src/components/TaskList.test.tsx": `import { render, screen } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { TaskList } from "./TaskList"

const tasks = [
  { id: "1", title: "Buy milk", description: "Two bottles" },
  { id: "2", title: "Call Ada", description: "About Friday" }
]

test("shows what matches", async () => {
  render(<TaskList tasks={tasks} />)
  await userEvent.type(screen.getByLabelText("Filter tasks"), "ada")
  expect(screen.queryByText("Buy milk")).toBeNull()
  expect(screen.getByText("Call Ada")).toBeInTheDocument()
})

test("says when there is nothing", () => {
  render(<TaskList tasks={[]} placeholder="Nothing" />)
  screen.getByText("Nothing")
})

test("looks as it did", () => {
  const { container } = render(<TaskList tasks={tasks} />)
  expect(container).toMatchSnapshot()
})
`
  },
  items: [
    ["Show only tasks that match", { path: "src/components/TaskList.tsx", from: "const shown" }],
    ["Put the filter above the list", { path: "src/components/TaskList.tsx", from: "<Filter" }],
    ["A placeholder where there are no tasks", { path: "src/components/TaskList.tsx", from: "tasks.length === 0" }],
    ["The placeholder is a property", { path: "src/components/TaskList.tsx", from: "placeholder?: string" }],
    ["A component for the filter", { path: "src/components/Filter.tsx", from: "export const Filter", to: ")" }],
    ["Rows show that they can be clicked", { path: "src/tasks.css", from: "cursor: pointer" }],
    ["Fit small screens", { path: "index.html", from: "viewport" }],
    ["Test the filter", { path: "src/components/TaskList.test.tsx", from: "shows what matches", to: "})" }],
    ["Test the placeholder", { path: "src/components/TaskList.test.tsx", from: "says when", to: "})" }],
    ["A snapshot", { path: "src/components/TaskList.test.tsx", from: "looks as", to: "})" }]
  ]
}
