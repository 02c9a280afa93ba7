import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Baseline } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { shell } from "../repositories.ts"
import { capture, type Project, sandbox, snapshotOf, touched } from "./support.ts"

const shop = "RATE = 1\nALL = []\n\n\ndef price(item):\n    return item.price\n"
const login = "\n\ndef login(users, name):\n    users[name] = 'in'\n    return users\n"
const logout = "\n\ndef logout(users, name):\n    del users[name]\n    return len(users)\n"
const pay = "def pay(card):\n    card.charge(1)\n    return card.receipt\n"

const put = (text: string, file: string) => `printf '%b' "${text.replaceAll("\n", "\\n")}" >>${file}`
const committed = (message: string) => `git add -A && git commit -qm '${message}'`
const twice = `sed -i 's/RATE = 1/RATE = 2/' shop.py && ${committed("Twice")}`

/** Two files on main, and a branch that was there before: a function more, a file more, a file less. */
const withBranch = Effect.gen(function* () {
  const project = yield* sandbox
  project.write("shop.py", shop)
  project.write("old.py", "OLD = 'nobody needs this any more'\n")
  project.commit()
  const work = [put(login, "shop.py"), put(pay, "pay.py"), "git rm -q old.py", committed("Log in")].join(" && ")
  shell(project.root, `git checkout -qb other && ${work} && git checkout -q main`)
  return project
})

const goneWith = (project: Project, base: Parameters<typeof touched>[1]) =>
  Effect.provide(
    Effect.flatMap(Baseline, (baseline) => baseline.before(base, "old.py", { text: null })),
    project.services
  )

/** What came of it: whether lines of `shop.py` and `pay.py` are the run's, and whether the file that is gone was taken away by it. */
const afterwards = Effect.fnUntraced(function* (project: Project, command: string) {
  const base = yield* capture(project)
  shell(project.root, command)
  const lines = [yield* touched(project, base, "shop.py"), yield* touched(project, base, "pay.py")]
  const { _tag, brought } = yield* goneWith(project, base)
  // what the run writes upon it is its own
  shell(project.root, put(logout, "shop.py"))
  const more = yield* touched(project, base, "shop.py")
  assert.strictEqual(more, `${lines[0]}+++++`)
  return { lines, gone: _tag === "absent" ? `with ${/^[0-9a-f]{40}$/.test(brought ?? "")}` : "by the run" }
})

describe("given work that another branch had when the run began", () => {
  const merge = "git merge -q --no-ff -m Merge other"
  it.live.each<[string, string]>([
    ["is switched to", "git checkout -q other"],
    ["is merged in a commit of its own", merge],
    ["is merged by moving on", "git merge -q --ff-only other"],
    ["is merged, and the branch is removed", `${merge} && git branch -qD other`],
    ["is being merged", "git merge -q --no-ff --no-commit other"],
    ["is picked", "git cherry-pick other >/dev/null"],
    ["is gone to", "git reset -q --hard other"],
    [
      "is merged from another branch of the run",
      `git checkout -qb mine && ${merge} && git checkout -q main && git merge -q mine`
    ]
  ])("when it %s, then nothing of it is work of the run", ([, command]) =>
    Effect.gen(function* () {
      const found = yield* afterwards(yield* withBranch, command)
      assert.deepStrictEqual(found, { lines: ["-----------", "---"], gone: "with true" })
    })
  )

  it.live.each<[string, string]>([
    ["is merged", `${twice} && ${merge}`],
    ["is picked", `${twice} && git cherry-pick other >/dev/null`],
    ["is what the run's work is moved upon", `${twice} && git rebase -q other`],
    ["is moved upon the run's work", `${twice} && git checkout -q other && git rebase -q main`]
  ])("when it %s and the run has commits of its own, then these are its work, and nothing else", ([, command]) =>
    Effect.gen(function* () {
      const found = yield* afterwards(yield* withBranch, command)
      assert.deepStrictEqual(found, { lines: ["+----------", "---"], gone: "with true" })
    })
  )

  it.live.each<[string, string]>([
    ["is merged as one change", "git merge -q --squash other >/dev/null"],
    ["is merged as one commit", "git merge -q --squash other >/dev/null && git commit -qm 'Log in at last'"],
    ["is taken file by file", "git checkout -q other -- shop.py pay.py"],
    ["is taken as a patch", "git diff main other | git apply"]
  ])("when it %s, then none of its lines are work of the run", ([, command]) =>
    Effect.gen(function* () {
      const { lines } = yield* afterwards(yield* withBranch, command)
      assert.deepStrictEqual(lines, ["-----------", "---"])
    })
  )

  it.live("when a remote had it, or a stash, or a tag, then the same", () =>
    Effect.gen(function* () {
      const only = (ref: string) => `git update-ref ${ref} other && git branch -qD other`
      for (const [before, command] of [
        [only("refs/remotes/origin/other"), "git merge -q --no-ff -m Merge origin/other"],
        [`git tag -am Tag v2 other && git branch -qD other`, "git merge -q --no-ff -m Merge v2"],
        [`git checkout -q other -- . && git stash -q && git branch -qD other`, "git stash pop -q"]
      ] as const) {
        const project = yield* withBranch
        shell(project.root, before)
        assert.deepStrictEqual((yield* afterwards(project, command)).lines, ["-----------", "---"], command)
      }
    })
  )

  it.live("when nobody here knew it, and it is fetched, then it is none of the run's where it is older", () =>
    Effect.gen(function* () {
      const project = yield* withBranch
      const remote = Path.join(project.outside, "remote")
      const old = "GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' git commit -q --amend --no-edit"
      shell(project.root, `git clone -q . ${remote} && git branch -qD other`)
      shell(remote, `git checkout -q other && ${old}`)
      const fetched = `git fetch -q ${remote} other && git merge -q --no-ff -m Merge FETCH_HEAD`
      assert.deepStrictEqual((yield* afterwards(project, fetched)).lines, ["-----------", "---"])
    })
  )

  it.live("when the base is an earlier commit by the user's word, then only what this branch did since is work", () =>
    Effect.gen(function* () {
      const project = yield* withBranch
      shell(
        project.root,
        `${twice} && git branch later && git checkout -q later && ${put(logout, "late.py")} && ${committed("Late")} && git checkout -q main`
      )
      const base = yield* Effect.provide(
        Effect.flatMap(Baseline, (baseline) => baseline.captureAt("HEAD~1")),
        project.services
      )
      shell(project.root, `${merge} && git merge -q --no-ff -m Merge later`)
      assert.strictEqual(yield* touched(project, base, "shop.py"), "+----------")
      assert.strictEqual(yield* touched(project, base, "pay.py"), "---")
      assert.strictEqual(yield* touched(project, base, "late.py"), "-----")
    })
  )
})

describe("given work of the run alone, beside a branch that was there", () => {
  const write = `${put(logout, "shop.py")} && ${put(pay.replaceAll("1", "2"), "pay.py")} && rm old.py`
  const mine = `git checkout -qb mine && ${write} && ${committed("Mine")}`
  it.live.each<[string, string]>([
    ["is not committed", write],
    ["is committed", `${write} && ${committed("Mine")}`],
    ["is merged from a branch of its own", `${mine} && git checkout -q main && git merge -q --no-ff -m Merge mine`],
    ["is merged as one change", `${mine} && git checkout -q main && git merge -q --squash mine >/dev/null`],
    ["is picked from a branch of its own", `${mine} && git checkout -q main && git cherry-pick mine >/dev/null`],
    ["is written anew", `${write} && ${committed("Mine")} && git rebase -q --force-rebase --root`],
    ["goes into the commit that was there", `${write} && git add -A && git commit -q --amend --no-edit`],
    ["is put aside and taken again", `${write} && git add -A && git stash -q && git stash pop -q`]
  ])("when it %s, then it is its work", ([, command]) =>
    Effect.gen(function* () {
      const project = yield* withBranch
      const base = yield* capture(project)
      shell(project.root, command)
      assert.strictEqual(yield* touched(project, base, "shop.py"), "------+++++")
      assert.strictEqual(yield* touched(project, base, "pay.py"), "+++")
      assert.deepStrictEqual(yield* goneWith(project, base), {
        _tag: "text",
        text: "OLD = 'nobody needs this any more'\n"
      })
    })
  )

  it.live("when a few words of it are those of the other branch, then they are its own all the same", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("limits.py", "RETRIES = 3\nTIMEOUT = 10\n")
      project.commit()
      const raise = "sed -i 's/TIMEOUT = 10/TIMEOUT = 30/' limits.py"
      shell(project.root, `git checkout -qb other && ${raise} && ${committed("Wait")} && git checkout -q main`)
      const base = yield* capture(project)
      shell(project.root, raise)
      assert.strictEqual(yield* touched(project, base, "limits.py"), "-+")
    })
  )

  it.live("when it brings back what an older commit of the same branch had, then that is its work", () =>
    Effect.gen(function* () {
      const project = yield* withBranch
      shell(
        project.root,
        `${put(logout, "shop.py")} && ${committed("Out")} && git tag v1 && git revert --no-edit HEAD >/dev/null`
      )
      const base = yield* capture(project)
      shell(project.root, "git revert --no-edit HEAD >/dev/null")
      assert.strictEqual(yield* touched(project, base, "shop.py"), "------+++++")
    })
  )

  it.live("when nothing else was there, then nothing of that is kept", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("shop.py", shop)
      project.commit()
      const base = yield* capture(project)
      const { known } = (yield* snapshotOf(project, base)) as { known?: { refs: ReadonlyArray<string> } }
      assert.deepStrictEqual(known?.refs, [])
    })
  )
})
