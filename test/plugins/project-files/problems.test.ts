import { parseTasks } from "@proofline/plugins/adapters/project-files"
import { assert, describe, expect, it } from "vitest"
import { tasksProblems, tasksWarnings, withLines } from "./told.ts"

describe("a file as a whole", () => {
  it("is told to be empty", () => {
    expect(tasksProblems("")).toMatchInlineSnapshot(`
      "1:1 file_empty
        The file is empty.
        Write a list of tasks under the key \`tasks\`."
    `)
  })

  it("is told to be empty when it holds only comments", () => {
    expect(tasksProblems("# nothing\n\n")).toMatchInlineSnapshot(`
      "1:1 file_empty
        The file is empty.
        Write a list of tasks under the key \`tasks\`."
    `)
  })

  it("must be a mapping: a list", () => {
    expect(tasksProblems("- a\n")).toMatchInlineSnapshot(`
      "1:1 wrong_type
        The file must be a mapping, not a list.
        Write a mapping with the key \`tasks\`, as lines of \`key: value\`."
    `)
  })

  it("must be a mapping: a text", () => {
    expect(tasksProblems("tasks\n")).toMatchInlineSnapshot(`
      "1:1 wrong_type
        The file must be a mapping, not the text "tasks".
        Write a mapping with the key \`tasks\`, as lines of \`key: value\`."
    `)
  })

  it("must have tasks", () => {
    expect(tasksProblems("name: x\n")).toMatchInlineSnapshot(`
      "1:1 missing_key
        The file has no \`tasks\`.
        Add \`tasks:\` with a list of tasks."
    `)
  })

  it("must have tasks, and a near miss is recognised", () => {
    expect(tasksProblems("task:\n  - id: a\n")).toMatchInlineSnapshot(`
      "1:1 unknown_key
        The key "task" is not known.
        Did you mean \`tasks\`?
      1:1 missing_key
        The file has no \`tasks\`.
        Add \`tasks:\` with a list of tasks."
    `)
  })

  it("must have at least one task", () => {
    expect(tasksProblems("tasks: []\n")).toMatchInlineSnapshot(`
      "1:8 tasks_empty
        \`tasks\` holds no task.
        Write at least one task with \`id\`, \`name\` and \`instruction\`."
    `)
  })

  it("must have at least one task: no value", () => {
    expect(tasksProblems("name: x\ntasks:\n")).toMatchInlineSnapshot(`
      "2:1 tasks_empty
        \`tasks\` holds no task.
        Write at least one task with \`id\`, \`name\` and \`instruction\`."
    `)
  })

  it("must have its tasks in a list: a mapping", () => {
    expect(tasksProblems("tasks:\n  a:\n    name: A\n")).toMatchInlineSnapshot(`
      "2:3 wrong_type
        \`tasks\` must be a list, not a mapping.
        Write a list of tasks, each on a line that begins with \`- \`."
    `)
  })

  it("must have its tasks in a list: a text", () => {
    expect(tasksProblems("tasks: build it\n")).toMatchInlineSnapshot(`
      "1:8 wrong_type
        \`tasks\` must be a list, not the text "build it".
        Write a list of tasks, each on a line that begins with \`- \`."
    `)
  })

  it("may hold one document only", () => {
    expect(tasksProblems("name: x\n---\ntasks: []\n---\n")).toMatchInlineSnapshot(`
      "1:1 missing_key
        The file has no \`tasks\`.
        Add \`tasks:\` with a list of tasks.
      2:1 yaml_multiple_documents
        The file holds more than one YAML document; a line \`---\` starts the next.
        Keep one document a file."
    `)
  })

  it("may have at most 5 MiB", () => {
    expect(tasksProblems(`tasks: []\n#${"x".repeat(5 * 1024 * 1024)}\n`)).toMatchInlineSnapshot(`
      "1:1 file_too_large
        The file is larger than 5 MiB.
        Split it into several files."
    `)
  })

  it("must be of a known version", () => {
    expect(
      tasksProblems('schema_version: 2\n$schema: ""\ntasks: [{id: a, name: A, instruction: I}]\n')
    ).toMatchInlineSnapshot(`
      "1:17 schema_version_unknown
        The file is written for version 2 of its format, which is not known here.
        Write 1, or install a newer Proofline.
      2:10 blank_value
        \`$schema\` has no content.
        Write the address of a JSON Schema, or leave the key out."
    `)
  })
})

describe("YAML itself", () => {
  it("a tab as indentation", () => {
    expect(tasksProblems("tasks:\n\t- id: a\n")).toMatchInlineSnapshot(`
      "2:1 yaml_tab
        This line is indented with a tab, which YAML does not allow.
        Indent with spaces."
    `)
  })

  it("an unclosed double quote", () => {
    expect(tasksProblems('tasks:\n  - id: "a\n    name: b\n')).toMatchInlineSnapshot(`
      "2:9 yaml_syntax
        A text that begins with " has no closing ".
        Close it with ", or remove the quote at its start."
    `)
  })

  it("an unclosed single quote", () => {
    expect(tasksProblems("name: 'x\ntasks: []\n")).toMatchInlineSnapshot(`
      "1:7 yaml_syntax
        A text that begins with ' has no closing '.
        Close it with ', or remove the quote at its start."
    `)
  })

  it("unclosed brackets, each where it was opened", () => {
    expect(tasksProblems("tasks: [{id: a, depends_on: [b, c\n")).toMatchInlineSnapshot(`
      "1:8 yaml_syntax
        A bracket is opened here but not closed: ] is missing.
        Add ] at the end, indented deeper than the key it belongs to.
      1:9 yaml_syntax
        A bracket is opened here but not closed: } is missing.
        Add } at the end, indented deeper than the key it belongs to.
      1:29 yaml_syntax
        A bracket is opened here but not closed: ] is missing.
        Add ] at the end, indented deeper than the key it belongs to."
    `)
  })

  it("a bracket too many", () => {
    expect(tasksProblems("tasks: []]\n")).toMatchInlineSnapshot(`
      "1:10 yaml_syntax
        A closing bracket stands here that was never opened.
        Remove it, or put the text in quotes."
    `)
  })

  it("a bracket that was never opened", () => {
    expect(tasksProblems("tasks: }\n")).toMatchInlineSnapshot(`
      "1:8 yaml_syntax
        A closing bracket stands here that was never opened.
        Remove it, or put the text in quotes."
    `)
  })

  it("a missing comma", () => {
    expect(tasksProblems("tasks: [{id: a} {id: b}]\n")).toMatchInlineSnapshot(`
      "1:8 yaml_syntax
        A bracket is opened here but not closed: ] is missing.
        Add ] at the end, indented deeper than the key it belongs to.
      1:17 yaml_syntax
        The value before this is complete, but more text follows.
        Put the whole text in quotes, or separate two values in brackets with a comma.
      1:24 yaml_syntax
        A closing bracket stands here that was never opened.
        Remove it, or put the text in quotes."
    `)
  })

  it("a comma too many", () => {
    expect(tasksProblems("tasks: [,{id: a}]\n")).toMatchInlineSnapshot(`
      "1:9 yaml_syntax
        Inside the brackets a comma stands without a value before it.
        Remove the comma or add the value."
    `)
  })

  it("a missing colon", () => {
    expect(tasksProblems("name x\ntasks: []\n")).toMatchInlineSnapshot(`
      "1:1 yaml_syntax
        The text that begins here runs on into the next line, where YAML expects a key on one line.
        Check the indentation of the next line, and whether a colon or a quote is missing in this one."
    `)
  })

  it("a text without colon behind a key", () => {
    expect(tasksProblems("name: x\ntasks\n")).toMatchInlineSnapshot(`
      "2:1 yaml_syntax
        Here a \`key: value\` is expected, but there is no colon.
        Write a colon and a blank after the key, or indent the text if it continues the value above."
    `)
  })

  it("two keys on one line", () => {
    expect(tasksProblems("name: one: two\n")).toMatchInlineSnapshot(`
      "1:7 yaml_syntax
        This line holds a second \`key: value\`, which YAML does not allow on one line.
        Put the text in quotes if the colon belongs to it; otherwise start the inner key on a line of its own."
    `)
  })

  it("a key at another column", () => {
    expect(tasksProblems("name: x\n tasks: []\n")).toMatchInlineSnapshot(`
      "1:7 yaml_syntax
        The text that begins here runs on into the next line, where YAML expects a key on one line.
        Check the indentation of the next line, and whether a colon or a quote is missing in this one."
    `)
  })

  it("a list item at another column", () => {
    expect(tasksProblems("tasks:\n  - id: a\n - id: b\n")).toMatchInlineSnapshot(`
      "3:1 yaml_syntax
        A list item stands where a key is expected.
        Indent it like the items that it belongs to.
      3:2 yaml_syntax
        The text that begins here runs on into the next line, where YAML expects a key on one line.
        Check the indentation of the next line, and whether a colon or a quote is missing in this one."
    `)
  })

  it("a list on the line of its key", () => {
    expect(tasksProblems("tasks: - id: a\n")).toMatchInlineSnapshot(`
      "1:8 yaml_syntax
        A list cannot begin on the line of its key.
        Start the list with \`- \` on the next line."
    `)
  })

  it("text behind a quoted text", () => {
    expect(tasksProblems('name: "a" b\n')).toMatchInlineSnapshot(`
      "1:11 yaml_syntax
        The value before this is complete, but more text follows.
        Put the whole text in quotes, or separate two values in brackets with a comma."
    `)
  })

  it("a reserved character at the start", () => {
    expect(tasksProblems("name: @a\ntasks: [`b`]\n")).toMatchInlineSnapshot(`
      "1:7 yaml_syntax
        A text without quotes cannot begin with @.
        Put the whole text in quotes.
      2:9 yaml_syntax
        A text without quotes cannot begin with \`.
        Put the whole text in quotes.
      2:9 wrong_type
        Task 1 must be a mapping, not the text "\`b\`".
        Write a task with \`id\`, \`name\` and \`instruction\`, as lines of \`key: value\`."
    `)
  })

  it("an unknown escape", () => {
    expect(tasksProblems('name: "C:\\path"\n')).toMatchInlineSnapshot(`
      "1:1 missing_key
        The file has no \`tasks\`.
        Add \`tasks:\` with a list of tasks.
      1:10 yaml_syntax
        The text in double quotes holds \\p, which is no escape of YAML.
        Write two backslashes for one backslash, or use single quotes."
    `)
  })

  it("text behind a block indicator", () => {
    expect(tasksProblems("name: | x\n  y\n")).toMatchInlineSnapshot(`
      "1:9 yaml_syntax
        This text cannot stand here.
        Check the indentation, quotes and brackets of this line and the one above."
    `)
  })

  it("an unknown tag", () => {
    expect(tasksProblems("name: !secret x\ntasks: !list []\n")).toMatchInlineSnapshot(`
      "1:7 yaml_unknown_tag
        The tag !secret is not known.
        Remove it, or put the text in quotes if it belongs to it.
      2:8 yaml_unknown_tag
        The tag !list is not known.
        Remove it, or put the text in quotes if it belongs to it.
      2:14 tasks_empty
        \`tasks\` holds no task.
        Write at least one task with \`id\`, \`name\` and \`instruction\`."
    `)
  })

  it("a value that does not fit its tag", () => {
    expect(tasksProblems("name: !!int x\n")).toMatchInlineSnapshot(`
      "1:1 missing_key
        The file has no \`tasks\`.
        Add \`tasks:\` with a list of tasks.
      1:7 yaml_unknown_tag
        The value does not fit its tag !!int.
        Remove the tag, or put the text in quotes if it belongs to it."
    `)
  })

  it("types of YAML that are used nowhere", () => {
    expect(tasksProblems("name: !!binary aGk=\ntasks: !!set {a}\n")).toMatchInlineSnapshot(`
      "1:16 wrong_type
        \`name\` must be text, not a value of another type.
        Write a name as one text.
      2:14 wrong_type
        \`tasks\` must be a list, not a value of another type.
        Write a list of tasks, each on a line that begins with \`- \`."
    `)
  })

  it("a comment right behind a value", () => {
    expect(tasksProblems('name: "x"#y\n')).toMatchInlineSnapshot(`
      "1:10 yaml_syntax
        A comment begins right behind another character.
        Write a blank before the \`#\`, or put the text in quotes if the \`#\` belongs to it."
    `)
  })

  it("block style in brackets", () => {
    expect(tasksProblems("tasks: [\n  - id: a\n]\n")).toMatchInlineSnapshot(`
      "2:3 yaml_syntax
        An indented list or mapping cannot stand inside brackets.
        Use brackets inside as well, or indented lines outside."
    `)
  })

  it("a key given twice, and three times", () => {
    expect(
      tasksProblems("name: a\nname: b\nname: c\ntasks: [{id: a, id: b, name: A, instruction: I}]\n")
    ).toMatchInlineSnapshot(`
      "2:1 yaml_duplicate_key
        The key "name" is given twice.
        Keep one of the two; the first is on line 1.
      3:1 yaml_duplicate_key
        The key "name" is given twice.
        Keep one of the two; the first is on line 1.
      4:17 yaml_duplicate_key
        The key "id" is given twice.
        Keep one of the two; the first is on line 4."
    `)
  })

  it("an escape that a line break cuts off", () => {
    expect(tasksProblems('name: "a\\u00\n  b"\ntasks: [{id: a, name: A, instruction: I}]\n')).toMatchInlineSnapshot(`
      "1:9 yaml_syntax
        The text in double quotes holds "\\\\u00\\n ", which is no escape of YAML.
        Write two backslashes for one backslash, or use single quotes."
    `)
  })

  it("an alias without anchor, and a near miss", () => {
    expect(
      tasksProblems("name: *nothing\ncommon_checks: &checks [x]\ncommon_validation: *check\n")
    ).toMatchInlineSnapshot(`
      "1:1 missing_key
        The file has no \`tasks\`.
        Add \`tasks:\` with a list of tasks.
      1:7 yaml_unknown_alias
        The alias *nothing has no anchor &nothing above it.
        Define the anchor, or put the text in quotes if it is not meant as an alias.
      3:20 yaml_unknown_alias
        The alias *check has no anchor &check above it.
        Did you mean *checks?"
    `)
  })

  it("an alias inside its own anchor", () => {
    expect(tasksProblems("tasks: &t [*t]\n")).toMatchInlineSnapshot(`
      "1:12 yaml_alias_cycle
        The alias *t stands inside the value that it refers to.
        Write the value out."
    `)
  })

  it("two anchors on one value", () => {
    expect(tasksProblems("name: &a &b x\n")).toMatchInlineSnapshot(`
      "1:1 missing_key
        The file has no \`tasks\`.
        Add \`tasks:\` with a list of tasks.
      1:10 yaml_syntax
        A value has more than one anchor.
        Keep one, or put the text in quotes."
    `)
  })

  it("an anchor on an alias", () => {
    expect(tasksProblems("name: &a x\ncommon_checks: &b *a\n")).toMatchInlineSnapshot(`
      "1:1 missing_key
        The file has no \`tasks\`.
        Add \`tasks:\` with a list of tasks.
      2:19 yaml_syntax
        An alias (\`*name\`) carries a tag or an anchor.
        Write the alias alone."
    `)
  })

  it("merge keys", () => {
    expect(
      tasksProblems("tasks:\n  - &a {id: a, name: A, instruction: I, checks: x}\n  - <<: *a\n    id: b\n")
    ).toMatchInlineSnapshot(`
      "3:5 unknown_key
        The key "<<" is not known in task "b".
        Write the keys out: merging is not part of YAML 1.2.
      3:5 missing_key
        Task "b" has no \`name\`.
        Add \`name:\` with a short title.
      3:5 missing_key
        Task "b" has no \`instruction\`.
        Add \`instruction:\` with what the agent shall do."
    `)
  })

  it("a directive that is none", () => {
    expect(tasksProblems("%FOO\nname: x\n")).toMatchInlineSnapshot(`
      "2:1 yaml_syntax
        A line that begins with % is read as a directive, and the \`---\` behind it is missing.
        Put the text in quotes, or add a line \`---\` below the directives."
    `)
  })

  it("too many levels in brackets", () => {
    expect(tasksProblems(`tasks: ${"[".repeat(100)}${"]".repeat(100)}\n`)).toMatchInlineSnapshot(`
      "1:72 yaml_too_deep
        Lists and mappings are nested too deeply here to be read.
        The file is not of the expected shape; start again from the template."
    `)
  })

  it("too many levels on one line", () => {
    expect(tasksProblems(`tasks:\n${"- ".repeat(100)}a\n`)).toMatchInlineSnapshot(`
      "2:129 yaml_too_deep
        Lists and mappings are nested too deeply here to be read.
        The file is not of the expected shape; start again from the template."
    `)
  })

  it("too many levels by indentation", () => {
    expect(
      tasksProblems(`tasks:\n${Array.from({ length: 80 }, (_, level) => `${" ".repeat(level)} k:\n`).join("")}`)
    ).toMatchInlineSnapshot(`
      "2:2 wrong_type
        \`tasks\` must be a list, not a mapping.
        Write a list of tasks, each on a line that begins with \`- \`.
      65:65 yaml_too_deep
        Lists and mappings are nested too deeply here to be read.
        The file is not of the expected shape; start again from the template."
    `)
  })

  it("more tokens than any real file", () => {
    expect(tasksProblems(`tasks:\n${"- a\n".repeat(400_000)}`)).toMatchInlineSnapshot(`
      "200001:1 file_too_complex
        The file holds more than 1000000 tokens of YAML.
        Split it into several files."
    `)
  })

  it("control characters, raw and escaped", () => {
    expect(tasksProblems('name: a\u0007b\ntasks: [{id: "a\\0b", name: A, instruction: I}]\n')).toMatchInlineSnapshot(`
      "1:8 control_character
        The file holds the control character U+0007, which YAML does not allow.
        Remove it; an editor may show it as a blank or not at all.
      2:14 control_character
        \`id\` of task "a\\u0000b" holds the character U+0000, which no program can be given.
        Remove it."
    `)
  })
})

describe("keys", () => {
  it("that are unknown, with what was probably meant", () => {
    expect(
      tasksProblems(
        "naem: x\ntasks:\n  - id: a\n    title: A\n    instructions: x\n    dependsOn: []\n    colour: red\n    checklist:\n      - itm: x\n        check: y\ndefaults:\n  retries: 3\n  Workers: 2\n"
      )
    ).toMatchInlineSnapshot(`
      "1:1 unknown_key
        The key "naem" is not known.
        Did you mean \`name\`?
      3:5 missing_key
        Task "a" has no \`name\`.
        Add \`name:\` with a short title.
      3:5 missing_key
        Task "a" has no \`instruction\`.
        Add \`instruction:\` with what the agent shall do.
      4:5 unknown_key
        The key "title" is not known in task "a".
        Did you mean \`name\`?
      5:5 unknown_key
        The key "instructions" is not known in task "a".
        Did you mean \`instruction\`?
      6:5 unknown_key
        The key "dependsOn" is not known in task "a".
        Did you mean \`depends_on\`?
      7:5 unknown_key
        The key "colour" is not known in task "a".
        Remove it; known keys are \`id\`, \`name\`, \`instruction\`, \`validation\`, \`checks\`, \`depends_on\`, \`checklist\`, \`covers\` and \`chunk\`.
      9:9 unknown_key
        The key "itm" is not known in item 1 of \`checklist\` of task "a".
        Did you mean \`item\`?
      9:9 missing_key
        Item 1 of \`checklist\` of task "a" has no \`item\`.
        Add \`item:\` with what must be true.
      12:3 unknown_key
        The key "retries" is not known in \`defaults\`.
        Did you mean \`max_retries\`?
      13:3 unknown_key
        The key "Workers" is not known in \`defaults\`.
        Did you mean \`workers\`?"
    `)
  })

  it("that are missing", () => {
    expect(
      tasksProblems("tasks:\n  - {}\n  - id: b\n  - {id: c, checklist: [{check: x}], validation: [{covers: [a]}]}\n")
    ).toMatchInlineSnapshot(`
      "2:5 missing_key
        Task 1 has no \`id\`.
        Add \`id:\` with a short id of letters, digits, \`_\`, \`.\` and \`-\`.
      2:5 missing_key
        Task 1 has no \`name\`.
        Add \`name:\` with a short title.
      2:5 missing_key
        Task 1 has no \`instruction\`.
        Add \`instruction:\` with what the agent shall do.
      3:5 missing_key
        Task "b" has no \`name\`.
        Add \`name:\` with a short title.
      3:5 missing_key
        Task "b" has no \`instruction\`.
        Add \`instruction:\` with what the agent shall do.
      4:5 missing_key
        Task "c" has no \`name\`.
        Add \`name:\` with a short title.
      4:5 missing_key
        Task "c" has no \`instruction\`.
        Add \`instruction:\` with what the agent shall do.
      4:25 missing_key
        Item 1 of \`checklist\` of task "c" has no \`item\`.
        Add \`item:\` with what must be true.
      4:51 missing_key
        Item 1 of \`validation\` of task "c" has no \`criterion\`.
        Add \`criterion:\` with what must hold."
    `)
  })

  it("that are no text", () => {
    expect(
      tasksProblems("1: x\ntrue: y\n[a, b]: z\n? \ntasks: [{id: a, name: A, instruction: I}]\n")
    ).toMatchInlineSnapshot(`
      "1:1 unknown_key
        The key "1" is not known.
        Remove it; known keys are \`name\`, \`defaults\`, \`common_validation\`, \`common_checks\`, \`completed\`, \`tasks\`, \`$schema\` and \`schema_version\`.
      2:1 unknown_key
        The key "true" is not known.
        Remove it; known keys are \`name\`, \`defaults\`, \`common_validation\`, \`common_checks\`, \`completed\`, \`tasks\`, \`$schema\` and \`schema_version\`.
      3:1 unknown_key
        The key "[a, b]" is not known.
        Remove it; known keys are \`name\`, \`defaults\`, \`common_validation\`, \`common_checks\`, \`completed\`, \`tasks\`, \`$schema\` and \`schema_version\`.
      4:3 unknown_key
        The key "" is not known.
        Remove it; known keys are \`name\`, \`defaults\`, \`common_validation\`, \`common_checks\`, \`completed\`, \`tasks\`, \`$schema\` and \`schema_version\`."
    `)
  })
})

describe("types", () => {
  it("text: everything else, with the advice to quote", () => {
    expect(
      tasksProblems(
        "tasks:\n  - id: 1\n    name: true\n    instruction: 1.50\n  - id: [a]\n    name: {a: b}\n    instruction: 2026-01-01\n  - id: 0x1F\n    name: ~\n    instruction: null\n"
      )
    ).toMatchInlineSnapshot(`
      "2:9 wrong_type
        \`id\` of task 1 must be text, not the number 1.
        Put it in quotes: "1".
      3:11 wrong_type
        \`name\` of task 1 must be text, not the value true.
        Put it in quotes: "true".
      4:18 wrong_type
        \`instruction\` of task 1 must be text, not the number 1.50.
        Put it in quotes: "1.50".
      5:9 wrong_type
        \`id\` of task 2 must be text, not a list.
        Write a short id of letters, digits, \`_\`, \`.\` and \`-\` as one text.
      6:11 wrong_type
        \`name\` of task 2 must be text, not a mapping.
        Put the text in quotes if its colon made it a mapping; otherwise write one text.
      8:9 wrong_type
        \`id\` of task 3 must be text, not the number 0x1F.
        Put it in quotes: "0x1F".
      9:11 blank_value
        \`name\` of task 3 has no content.
        Write a short title.
      10:18 blank_value
        \`instruction\` of task 3 has no content.
        Write what the agent shall do."
    `)
  })

  it("text: YAML 1.2 reads yes, no, on, off as text", () => {
    expect(
      tasksProblems("tasks:\n  - id: on\n    name: yes\n    instruction: off\n    checks: no\n")
    ).toMatchInlineSnapshot(`""`)
  })

  it("lists", () => {
    expect(
      tasksProblems(
        withLines(
          "validation: {a: b, c: d}",
          "checks: 3",
          "depends_on: {x: y}",
          "checklist: one thing",
          "covers: [[x]]"
        )
      )
    ).toMatchInlineSnapshot(`
      "5:17 missing_key
        \`validation\` of task "a" has no \`criterion\`.
        Add \`criterion:\` with what must hold.
      5:18 unknown_key
        The key "a" is not known in \`validation\` of task "a".
        Remove it; known keys are \`criterion\` and \`covers\`.
      5:24 unknown_key
        The key "c" is not known in \`validation\` of task "a".
        Remove it; known keys are \`criterion\` and \`covers\`.
      6:13 wrong_type
        \`checks\` of task "a" must be text, not the number 3.
        Put it in quotes: "3".
      7:17 wrong_type
        \`depends_on\` of task "a" must be text, not a mapping.
        Put the text in quotes if its colon made it a mapping; otherwise write one text.
      8:16 wrong_type
        \`checklist\` of task "a" must be a list, not the text "one thing".
        Write the items, each on a line that begins with \`- \`.
      9:14 wrong_type
        Item 1 of \`covers\` of task "a" must be text, not a list.
        Write the id of an acceptance criterion as one text."
    `)
  })

  it("a task that is none", () => {
    expect(tasksProblems("tasks:\n  - a\n  - 3\n  -\n  - [x]\n  - ~\n")).toMatchInlineSnapshot(`
      "2:5 wrong_type
        Task 1 must be a mapping, not the text "a".
        Write a task with \`id\`, \`name\` and \`instruction\`, as lines of \`key: value\`.
      3:5 wrong_type
        Task 2 must be a mapping, not the number 3.
        Write a task with \`id\`, \`name\` and \`instruction\`, as lines of \`key: value\`.
      4:3 blank_value
        Task 3 has no content.
        Write a task with \`id\`, \`name\` and \`instruction\`, or remove the item.
      5:5 wrong_type
        Task 4 must be a mapping, not a list.
        Write a task with \`id\`, \`name\` and \`instruction\`, as lines of \`key: value\`.
      6:5 blank_value
        Task 5 has no content.
        Write a task with \`id\`, \`name\` and \`instruction\`, or remove the item."
    `)
  })

  it("a text that its colon made a mapping", () => {
    expect(
      tasksProblems(
        withLines("checklist:", "  - Add foo: bar", "checks:", "  - echo: x", "validation:", "  - It works: always")
      )
    ).toMatchInlineSnapshot(`
      "6:9 unquoted_colon
        Item 1 of \`checklist\` of task "a" is read as a mapping, because its text holds a colon.
        Put the whole text in quotes, or write a mapping of \`item\`, \`check\`, \`ablation\` and \`covers\`.
      8:9 wrong_type
        Item 1 of \`checks\` of task "a" must be text, not a mapping.
        Put the text in quotes if its colon made it a mapping; otherwise write one text.
      10:9 unquoted_colon
        Item 1 of \`validation\` of task "a" is read as a mapping, because its text holds a colon.
        Put the whole text in quotes, or write a mapping of \`criterion\` and \`covers\`."
    `)
  })

  it("numbers", () => {
    expect(
      tasksProblems(
        'tasks: [{id: a, name: A, instruction: I}]\ndefaults:\n  workers: "3"\n  max_retries: two\n  retry_delay_ms: -1\n  backoff_multiplier: .inf\n  timeout_ms: .nan\n  check_timeout_ms: 1.5\n  idle_timeout_ms: 0\n'
      )
    ).toMatchInlineSnapshot(`
      "3:12 wrong_type
        \`workers\` of \`defaults\` must be a whole number, not the text "3".
        Write it without quotes: 3.
      4:16 wrong_type
        \`max_retries\` of \`defaults\` must be a whole number, not the text "two".
        Write a whole number from 0 to 10000.
      5:19 number_not_allowed
        \`retry_delay_ms\` of \`defaults\` cannot be -1.
        Write a whole number from 0 to 2147483647.
      6:23 number_not_allowed
        \`backoff_multiplier\` of \`defaults\` cannot be .inf.
        Write a number from 0 to 1000.
      7:15 number_not_allowed
        \`timeout_ms\` of \`defaults\` cannot be .nan.
        Write a whole number from 1 to 2147483647.
      8:21 number_not_allowed
        \`check_timeout_ms\` of \`defaults\` cannot be 1.5.
        Write a whole number from 1 to 2147483647.
      9:20 number_not_allowed
        \`idle_timeout_ms\` of \`defaults\` cannot be 0.
        Write a whole number from 1 to 2147483647."
    `)
  })

  it("numbers beyond their bounds", () => {
    expect(
      tasksProblems(
        "tasks: [{id: a, name: A, instruction: I}]\ndefaults: {workers: 0, max_retries: 1e9, retry_delay_ms: 1e400, backoff_multiplier: -.inf, timeout_ms: 2147483648, check_timeout_ms: [1], idle_timeout_ms: soon}\n"
      )
    ).toMatchInlineSnapshot(`
      "2:21 number_not_allowed
        \`workers\` of \`defaults\` cannot be 0.
        Write a whole number from 1 to 10000.
      2:37 number_not_allowed
        \`max_retries\` of \`defaults\` cannot be 1e9.
        Write a whole number from 0 to 10000.
      2:58 number_not_allowed
        \`retry_delay_ms\` of \`defaults\` cannot be 1e400.
        Write a whole number from 0 to 2147483647.
      2:85 number_not_allowed
        \`backoff_multiplier\` of \`defaults\` cannot be -.inf.
        Write a number from 0 to 1000.
      2:104 number_not_allowed
        \`timeout_ms\` of \`defaults\` cannot be 2147483648.
        Write a whole number from 1 to 2147483647.
      2:134 wrong_type
        \`check_timeout_ms\` of \`defaults\` must be a whole number, not a list.
        Write a whole number from 1 to 2147483647.
      2:156 wrong_type
        \`idle_timeout_ms\` of \`defaults\` must be a whole number, not the text "soon".
        Write a whole number from 1 to 2147483647."
    `)
  })

  it("true and false", () => {
    expect(
      tasksProblems("tasks: [{id: a, name: A, instruction: I}]\ndefaults: {fail_fast: yes}\n")
    ).toMatchInlineSnapshot(`
      "2:23 wrong_type
        \`fail_fast\` of \`defaults\` must be true or false, not the text "yes".
        Write true or false."
    `)
  })

  it("values from a list", () => {
    expect(
      tasksProblems("tasks: [{id: a, name: A, instruction: I}]\ndefaults:\n  retry_on: [error, LOST, ERROR, 3]\n")
    ).toMatchInlineSnapshot(`
      "3:14 value_not_allowed
        Item 1 of \`retry_on\` of \`defaults\` cannot be "error".
        Did you mean \`ERROR\`? Allowed is \`INCOMPLETE\`, \`ERROR\` or \`TIMEOUT\`.
      3:21 value_not_allowed
        Item 2 of \`retry_on\` of \`defaults\` cannot be "LOST".
        Write \`INCOMPLETE\`, \`ERROR\` or \`TIMEOUT\`.
      3:34 wrong_type
        Item 4 of \`retry_on\` of \`defaults\` must be \`INCOMPLETE\`, \`ERROR\` or \`TIMEOUT\`, not the number 3.
        Write \`INCOMPLETE\`, \`ERROR\` or \`TIMEOUT\`."
    `)
  })

  it("settings that are no mapping", () => {
    expect(tasksProblems("tasks: [{id: a, name: A, instruction: I}]\ndefaults: fast\n")).toMatchInlineSnapshot(`
      "2:11 wrong_type
        \`defaults\` must be a mapping, not the text "fast".
        Write settings such as \`max_retries: 2\`, as lines of \`key: value\`."
    `)
  })

  it("settings without a value", () => {
    expect(
      tasksProblems(
        'tasks: [{id: a, name: A, instruction: I}]\nname:\ncommon_checks:\ncommon_validation:\ndefaults:\n  workers:\n  fail_fast:\n  retry_on:\n  agent: ""\n'
      )
    ).toMatchInlineSnapshot(`
      "2:1 blank_value
        \`name\` has no content.
        Write a name, or leave the key out.
      3:1 blank_value
        \`common_checks\` has no content.
        Write the shell commands, or leave the key out.
      4:1 blank_value
        \`common_validation\` has no content.
        Write the criteria, or leave the key out.
      6:3 blank_value
        \`workers\` of \`defaults\` has no content.
        Write a whole number from 1 to 10000, or leave the key out.
      7:3 blank_value
        \`fail_fast\` of \`defaults\` has no content.
        Write true or false, or leave the key out.
      8:3 blank_value
        \`retry_on\` of \`defaults\` has no content.
        Write any of INCOMPLETE, ERROR and TIMEOUT, or leave the key out.
      9:10 blank_value
        \`agent\` of \`defaults\` has no content.
        Write the name of an agent, or leave the key out."
    `)
  })
})

describe("values", () => {
  it("of ids", () => {
    expect(
      tasksProblems(
        `tasks:\n  - {id: a/b, name: A, instruction: I}\n  - {id: a b, name: A, instruction: I}\n  - {id: "..", name: A, instruction: I}\n  - {id: "a\\n", name: A, instruction: I}\n  - {id: ${"x".repeat(101)}, name: A, instruction: I}\n  - {id: aufgabe_ä.1-é, name: A, instruction: I}\n  - {id: ${"x".repeat(100)}, name: A, instruction: I}\n`
      )
    ).toMatchInlineSnapshot(`
      "2:10 id_invalid
        \`id\` of task "a/b" cannot be "a/b".
        Use letters, digits, \`_\`, \`.\` and \`-\` only, at most 100.
      3:10 id_invalid
        \`id\` of task "a b" cannot be "a b".
        Use letters, digits, \`_\`, \`.\` and \`-\` only, at most 100.
      4:10 id_invalid
        \`id\` of task ".." cannot be "..".
        Use letters, digits, \`_\`, \`.\` and \`-\` only, at most 100.
      5:10 id_invalid
        \`id\` of task "a\\n" cannot be "a\\n".
        Use letters, digits, \`_\`, \`.\` and \`-\` only, at most 100.
      6:10 id_invalid
        \`id\` of task "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" cannot be "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…".
        Use letters, digits, \`_\`, \`.\` and \`-\` only, at most 100."
    `)
  })

  it("that are blank", () => {
    expect(
      tasksProblems(
        'tasks:\n  - id: ""\n    name: " "\n    instruction: |\n\n    checks: ["", " ", ]\n    validation: ""\n    depends_on:\n      -\n      - ""\n    checklist:\n      -\n      - "  "\n      - item:\n        check:\n'
      )
    ).toMatchInlineSnapshot(`
      "2:9 blank_value
        \`id\` of task 1 has no content.
        Write a short id of letters, digits, \`_\`, \`.\` and \`-\`.
      3:11 blank_value
        \`name\` of task 1 has no content.
        Write a short title.
      4:18 blank_value
        \`instruction\` of task 1 has no content.
        Write what the agent shall do.
      6:14 blank_value
        Item 1 of \`checks\` of task 1 has no content.
        Write a shell command, or remove the item.
      6:18 blank_value
        Item 2 of \`checks\` of task 1 has no content.
        Write a shell command, or remove the item.
      7:17 blank_value
        \`validation\` of task 1 has no content.
        Write what must hold, or leave the key out.
      9:7 blank_value
        Item 1 of \`depends_on\` of task 1 has no content.
        Write the id of a task, or remove the item.
      10:9 blank_value
        Item 2 of \`depends_on\` of task 1 has no content.
        Write the id of a task, or remove the item.
      12:7 blank_value
        Item 1 of \`checklist\` of task 1 has no content.
        Write what must be true, or remove the item.
      13:9 blank_value
        Item 2 of \`checklist\` of task 1 has no content.
        Write what must be true, or remove the item.
      14:9 blank_value
        \`item\` of item 3 of \`checklist\` of task 1 has no content.
        Write what must be true.
      15:9 blank_value
        \`check\` of item 3 of \`checklist\` of task 1 has no content.
        Write a shell command, or leave the key out."
    `)
  })

  it("a checklist without items", () => {
    expect(tasksProblems(withLines("checklist: []"))).toMatchInlineSnapshot(`
      "5:16 checklist_empty
        \`checklist\` of task "a" has no items, so nothing would have to be proven.
        Name at least one item, or leave the key out."
    `)
  })

  it("an ablation of nothing: an item without a check", () => {
    expect(
      tasksProblems(
        withLines(
          "checklist:",
          "  - item: x",
          "    ablation: true",
          "  - {item: y, ablation: false}",
          '  - {item: z, ablation: true, check: ""}',
          "  - {item: w, ablation: maybe, check: c}"
        )
      )
    ).toMatchInlineSnapshot(`
      "7:9 ablation_without_check
        The checklist item "x" has \`ablation: true\` but no \`check\`, so there is nothing that could fail without its lines.
        Add \`check:\` with a shell command, or remove \`ablation\`.
      9:42 blank_value
        \`check\` of item 3 of \`checklist\` of task "a" has no content.
        Write a shell command, or leave the key out.
      10:29 wrong_type
        \`ablation\` of item 4 of \`checklist\` of task "a" must be true or false, not the text "maybe".
        Write true or false."
    `)
  })

  it("a checklist without a value", () => {
    expect(tasksProblems(withLines("checklist:"))).toMatchInlineSnapshot(`
      "5:5 checklist_empty
        \`checklist\` of task "a" has no items, so nothing would have to be proven.
        Name at least one item, or leave the key out."
    `)
  })
})

describe("ids and dependencies", () => {
  it("an id taken by another task, naming the first place", () => {
    expect(
      tasksProblems(
        "tasks:\n  - {id: a, name: A, instruction: I}\n  - {id: b, name: B, instruction: I}\n  - {id: a, name: C, instruction: I}\n  - {id: a, name: D, instruction: I}\n"
      )
    ).toMatchInlineSnapshot(`
      "4:10 id_duplicate
        The id "a" is already taken by the task on line 2.
        Give every task an id of its own.
      5:10 id_duplicate
        The id "a" is already taken by the task on line 2.
        Give every task an id of its own."
    `)
  })

  it("an unknown id, with what was probably meant", () => {
    expect(
      tasksProblems(
        'tasks:\n  - {id: database, name: A, instruction: I}\n  - {id: b, name: B, instruction: I, depends_on: [databse, zebra, "database, b"]}\n'
      )
    ).toMatchInlineSnapshot(`
      "3:51 dependency_unknown
        Task "b" depends on "databse", but no task has that id.
        Did you mean \`database\`?
      3:60 dependency_unknown
        Task "b" depends on "zebra", but no task has that id.
        Add the task, or remove the id from \`depends_on\`.
      3:67 dependency_unknown
        Task "b" depends on "database, b", but no task has that id.
        Write several ids as a list, e.g. \`[first, second]\`."
    `)
  })

  it("a near miss of a task completed elsewhere", () => {
    expect(
      tasksProblems("tasks:\n  - {id: b, name: B, instruction: I, depends_on: [task_2, tsk_1]}\n", {
        completedElsewhere: ["task_1", "task_2"]
      })
    ).toMatchInlineSnapshot(`
      "2:59 dependency_unknown
        Task "b" depends on "tsk_1", but no task has that id.
        Did you mean \`task_1\`?"
    `)
  })

  it("the id of a task completed elsewhere, taken again", () => {
    expect(
      tasksProblems("tasks:\n  - {id: task_1, name: B, instruction: I}\n", { completedElsewhere: ["task_1"] })
    ).toMatchInlineSnapshot(`
      "2:10 id_taken
        The id "task_1" belongs to a task that is completed already.
        Give the new task an id of its own; what is completed is never run again."
    `)
  })

  it("itself, and the same id twice", () => {
    expect(
      tasksProblems(
        "tasks:\n  - {id: a, name: A, instruction: I, depends_on: a}\n  - {id: b, name: B, instruction: I, depends_on: [b, a, a]}\n"
      )
    ).toMatchInlineSnapshot(`
      "2:50 dependency_self
        Task "a" depends on itself.
        Remove the id from \`depends_on\`.
      3:51 dependency_self
        Task "b" depends on itself.
        Remove the id from \`depends_on\`.
      3:57 dependency_duplicate
        Task "b" names its dependency "a" twice.
        Remove one of them."
    `)
  })

  it("a circle of two and of three, each once, in order", () => {
    expect(
      tasksProblems(
        "tasks:\n  - {id: z, name: Z, instruction: I, depends_on: [y]}\n  - {id: y, name: Y, instruction: I, depends_on: [z]}\n  - {id: a, name: A, instruction: I, depends_on: [z, b]}\n  - {id: b, name: B, instruction: I, depends_on: c}\n  - {id: c, name: C, instruction: I, depends_on: [z, a]}\n"
      )
    ).toMatchInlineSnapshot(`
      "2:51 dependency_cycle
        Tasks wait for each other in a circle: z → y → z.
        Remove one of these dependencies.
      4:54 dependency_cycle
        Tasks wait for each other in a circle: a → b → c → a.
        Remove one of these dependencies."
    `)
  })

  it("circles that share a task", () => {
    expect(
      tasksProblems(
        "tasks:\n  - {id: a, name: A, instruction: I, depends_on: [b, c]}\n  - {id: b, name: B, instruction: I, depends_on: [a]}\n  - {id: c, name: C, instruction: I, depends_on: [a]}\n"
      )
    ).toMatchInlineSnapshot(`
      "2:51 dependency_cycle
        Tasks wait for each other in a circle: a → b → a.
        Remove one of these dependencies.
      2:54 dependency_cycle
        Tasks wait for each other in a circle: a → c → a.
        Remove one of these dependencies."
    `)
  })

  it("a long circle, shortened", () => {
    expect(
      tasksProblems(
        `tasks:\n${Array.from({ length: 30 }, (_, n) => `  - {id: t${n}, name: A, instruction: I, depends_on: t${(n + 1) % 30}}\n`).join("")}`
      )
    ).toMatchInlineSnapshot(`
      "2:51 dependency_cycle
        Tasks wait for each other in a circle: t0 → t1 → t2 → t3 → t4 → t5 → t6 → t7 → t8 → t9 → … (30 tasks) … → t21 → t22 → t23 → t24 → t25 → t26 → t27 → t28 → t29 → t0.
        Remove one of these dependencies."
    `)
  })
})

describe("warnings", () => {
  it("of items that are equal", () => {
    expect(
      tasksWarnings(
        withLines("checklist:", "  - Add x", '  - {item: "Add x ", check: "true"}', "  - Add y", "  - |", "    Add x")
      )
    ).toMatchInlineSnapshot(`
      "7:9 item_duplicate
        The checklist item "Add x" is already on line 6.
        Remove it, or say what is different; as it is, each of the two must be reported.
      9:9 item_duplicate
        The checklist item "Add x" is already on line 6.
        Remove it, or say what is different; as it is, each of the two must be reported."
    `)
  })

  it("of a task that nothing could prove", () => {
    expect(
      tasksWarnings(
        "tasks:\n  - {id: a, name: A, instruction: I}\n  - {id: b, name: A, instruction: I, checks: x}\n  - {id: c, name: A, instruction: I, validation: x}\n  - {id: d, name: A, instruction: I, checklist: [x]}\n  - {id: e, name: A, instruction: I, checks: []}\n"
      )
    ).toMatchInlineSnapshot(`
      "2:5 task_unprovable
        Nothing could prove that task "a" is done.
        Give it a \`checklist\`, \`checks\` or \`validation\`.
      6:5 task_unprovable
        Nothing could prove that task "e" is done.
        Give it a \`checklist\`, \`checks\` or \`validation\`."
    `)
  })

  it("not when common checks prove it", () => {
    expect(tasksWarnings("common_checks: x\ntasks:\n  - {id: a, name: A, instruction: I}\n")).toMatchInlineSnapshot(
      `""`
    )
  })
})

describe("many faults at once", () => {
  it("are all told", () => {
    expect(
      tasksProblems(
        [
          "nmae: x",
          "tasks:",
          "  - id: a b",
          "    name: 3",
          "    instruction: Do it",
          "    checklist: []",
          "  - id: b",
          "    name: B",
          "    instruction: Do it",
          "    depends_on: [c, missing, b]",
          "    checks: ['', ok]",
          "  - id: c",
          "    name: C",
          "    depends_on: b",
          "    instruction: Do it",
          "    name: D",
          "defaults: {workers: -1, retry_on: [NEVER]}",
          ""
        ].join("\n")
      )
    ).toMatchInlineSnapshot(`
      "1:1 unknown_key
        The key "nmae" is not known.
        Did you mean \`name\`?
      3:9 id_invalid
        \`id\` of task "a b" cannot be "a b".
        Use letters, digits, \`_\`, \`.\` and \`-\` only, at most 100.
      4:11 wrong_type
        \`name\` of task "a b" must be text, not the number 3.
        Put it in quotes: "3".
      6:16 checklist_empty
        \`checklist\` of task "a b" has no items, so nothing would have to be proven.
        Name at least one item, or leave the key out.
      10:18 dependency_cycle
        Tasks wait for each other in a circle: b → c → b.
        Remove one of these dependencies.
      10:21 dependency_unknown
        Task "b" depends on "missing", but no task has that id.
        Add the task, or remove the id from \`depends_on\`.
      10:30 dependency_self
        Task "b" depends on itself.
        Remove the id from \`depends_on\`.
      11:14 blank_value
        Item 1 of \`checks\` of task "b" has no content.
        Write a shell command, or remove the item.
      16:5 yaml_duplicate_key
        The key "name" is given twice.
        Keep one of the two; the first is on line 13.
      17:21 number_not_allowed
        \`workers\` of \`defaults\` cannot be -1.
        Write a whole number from 1 to 10000.
      17:36 value_not_allowed
        Item 1 of \`retry_on\` of \`defaults\` cannot be "NEVER".
        Write \`INCOMPLETE\`, \`ERROR\` or \`TIMEOUT\`."
    `)
  })

  it("before a syntax error are told with it, and its echo is not", () => {
    expect(
      tasksProblems(
        "tasks:\n  - id: a b\n    name: 3\n    instruction: x\n  - id: c\n    name: one: two\n    depends_on: [nobody]\n  - id: 4\n"
      )
    ).toMatchInlineSnapshot(`
      "2:9 id_invalid
        \`id\` of task "a b" cannot be "a b".
        Use letters, digits, \`_\`, \`.\` and \`-\` only, at most 100.
      3:11 wrong_type
        \`name\` of task "a b" must be text, not the number 3.
        Put it in quotes: "3".
      6:11 yaml_syntax
        This line holds a second \`key: value\`, which YAML does not allow on one line.
        Put the text in quotes if the colon belongs to it; otherwise start the inner key on a line of its own."
    `)
  })

  it("are not told again for every alias", () => {
    expect(
      tasksProblems(
        "tasks:\n  - {id: a, name: A, instruction: I, checks: &c [1]}\n  - {id: b, name: B, instruction: I, checks: *c}\n"
      )
    ).toMatchInlineSnapshot(`
      "2:50 wrong_type
        Item 1 of \`checks\` of task "a" must be text, not the number 1.
        Put it in quotes: "1"."
    `)
  })
})

describe("bounds", () => {
  it("lists 1,000 problems and counts the others", () => {
    const { problems } = parseTasks(`tasks:\n${"  - 3\n".repeat(3_000)}`, "tasks.yaml")
    assert.strictEqual(problems.length, 1_001)
    assert.strictEqual(problems.at(-1)?.code, "too_many_problems")
    assert.strictEqual(problems.at(-1)?.message, "There are 2000 more problems, which are not listed.")
  })

  it("does not write out aliases without end", () => {
    const list = `[${"x,".repeat(20_000)}]`
    const tasks = Array.from({ length: 200 }, (_, n) => `  - {id: t${n}, name: A, instruction: I, checks: *c}\n`)
    const { problems, tasks: document } = parseTasks(
      `common_checks: &c ${list}\ntasks:\n${tasks.join("")}`,
      "tasks.yaml"
    )
    assert.deepStrictEqual(
      problems.map(({ code }) => code),
      ["yaml_alias_limit"]
    )
    assert.isNull(document)
  })

  it("refuses a nested alias bomb in no time", () => {
    const levels = Array.from({ length: 30 }, (_, n) => `k${n + 1}: &k${n + 1} [${`*k${n}, `.repeat(10)}]\n`)
    const { problems } = parseTasks(`k0: &k0 [x]\n${levels.join("")}tasks: *k30\n`, "tasks.yaml")
    assert.deepStrictEqual(
      problems.map(({ code }) => code),
      ["yaml_alias_limit"]
    )
  })
})
