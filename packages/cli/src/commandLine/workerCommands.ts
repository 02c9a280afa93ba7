import { Argument, Command, Flag } from "effect/cli"
import { handle } from "../process/handle.ts"
import { argument, asked, boolean, examples, json, nameFlag, number, text, where } from "./flags.ts"

const load = {
  cluster: () => import("../commands/cluster.ts"),
  clusterRole: () => import("../commands/clusterRole.ts"),
  worker: () => import("../commands/worker.ts")
}

const worker = {
  slots: number("slots", "Pieces of work that a worker does at the same time (4)."),
  labels: text("labels", "What a worker offers, with commas between: it takes work that asks for nothing else."),
  setup: text("setup", "A shell command that prepares every new checkout before work is done there, such as `npm ci`.")
}

/** Who takes the work of runs in a shared log. */
export const workerCommands = {
  cluster: () =>
    Command.make("cluster").pipe(
      Command.withDescription("Share the work of runs among several workers."),
      Command.withSubcommands([
        Command.make(
          "up",
          {
            workers: number("workers", "How many workers are started (3)."),
            ...worker,
            restart: asked("restart", "Start another worker in the place of one that has ended."),
            command: Argument.variadic(
              argument(
                "command",
                "Behind `--`: a command of Proofline, such as run tasks.yaml; the cluster ends with it."
              )
            ),
            ...where,
            json: asked("json", "Print the URL of the database and the workers as one line of JSON.")
          },
          (options) => handle("cluster", options.json, load.cluster, ({ clusterUp }) => clusterUp(options))
        ).pipe(
          Command.withDescription(
            "Start workers on this machine, with a private Postgres unless a database is named, until Ctrl-C ends all of it."
          ),
          examples(
            ["cluster up --workers 3 --slots 4", "Start a database and three workers."],
            ["cluster up -- run tasks.yaml --agent claude", "Carry out a run with three workers, and end them all."]
          )
        ),
        Command.make(
          "role",
          {
            role: argument("name", "A role that is there."),
            sql: asked("sql", "Print the statements instead, for whoever may execute them."),
            ...where,
            json
          },
          (options) => handle("cluster-role", options.json, load.clusterRole, ({ clusterRole }) => clusterRole(options))
        ).pipe(
          Command.withDescription(
            "Give a role of the database what workers, and those who start runs, need on this log and no more. Asked as the owner of the log."
          ),
          examples(
            ["cluster role builder", "Give the role builder its rights; again after an update."],
            ["cluster role builder --sql", "See the statements."]
          )
        )
      ])
    ),
  worker: () =>
    Command.make(
      "worker",
      {
        ...worker,
        name: nameFlag("name", "Under which it is known; machine and process when left out."),
        endsWithStdin: boolean("ends-with-stdin").pipe(Flag.withHidden),
        ...where,
        json: asked("json", "Print its name and process as one line of JSON.")
      },
      (options) => handle("worker", options.json, load.worker, ({ worker }) => worker(options))
    ).pipe(
      Command.withDescription("Take work of the runs in a shared log, until Ctrl-C; this machine needs nothing else."),
      examples(["worker --slots 4 --labels claude,codex", "Work for the database that PROOFLINE_DATABASE_URL names."])
    )
}
