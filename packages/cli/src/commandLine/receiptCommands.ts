import { Command, Flag } from "effect/cli"
import { ciFormats, ciRequirements, signatureChoices } from "../base/choices.ts"
import { handle, printsDocument } from "../process/handle.ts"
import {
  asked,
  choice,
  examples,
  json,
  optionalArgument,
  outFlag,
  path,
  pathArgument,
  runArgument,
  runWords,
  text,
  where
} from "./flags.ts"

const load = {
  ci: () => import("../commands/ci.ts"),
  attachReceipts: () => import("../commands/attachReceipts.ts"),
  receipts: () => import("../commands/receipts.ts"),
  verify: () => import("../commands/verify.ts")
}

const signingKey = path("key", "Sign with this Ed25519 key (PEM, not encrypted); PROOFLINE_SIGNING_KEY when left out.")
const signed = {
  publicKey: path(
    "public-key",
    "Check the signature with this Ed25519 key (PEM); of attached receipts, with any of the keys in the file."
  ),
  signature: choice("signature", signatureChoices).pipe(
    Flag.withDescription(
      "Whether attached receipts that no trusted key signed are refused (required as soon as a key is trusted)."
    )
  )
}

/** What was proven, checked again, and given to others. */
export const receiptCommands = {
  verify: () =>
    Command.make(
      "verify",
      {
        run: optionalArgument(
          pathArgument("run", `${runWords} Or a file of receipts, which are verified without the log.`)
        ),
        ref: text("ref", "Compare with this commit instead of the files as they are."),
        receipts: path(
          "receipts",
          "Verify these exported receipts, without the log; with a run named, against its log too."
        ),
        ...signed,
        attached: asked(
          "attached",
          "Verify what `receipts attach` has put to the commit, HEAD unless --ref says otherwise; without a log that is done anyway."
        ),
        redactionKey: path(
          "redaction-key",
          "Compare a redacted export with its original in the log; the key made with it."
        ),
        ...where,
        json
      },
      (options) => handle("verify", options.json, load.verify, ({ verify }) => verify(options))
    ).pipe(
      Command.withDescription("Check that everything a run proved still holds, without any agent."),
      examples(
        ["verify", "Check the newest run against the files as they are."],
        ["verify --ref main", "Check it against a commit."],
        ["verify --ref main --attached", "Check what is attached to a commit, in a clone that has no log."],
        ["verify receipts.json --public-key key.pub", "Check what somebody else exported, without the log."]
      )
    ),
  receipts: () =>
    Command.make("receipts").pipe(
      Command.withDescription("Give what a run proved to other tools."),
      Command.withSubcommands([
        Command.make(
          "export",
          {
            run: runArgument,
            out: outFlag,
            key: signingKey,
            ...where
          },
          (options) => handle("receipts", false, load.receipts, ({ exportReceipts }) => exportReceipts(options))
        ).pipe(
          Command.withDescription("Write the receipts of a run as an in-toto statement in a DSSE envelope."),
          examples(["receipts export --key key.pem --out receipts.json", "Sign what the newest run proved."])
        ),
        Command.make(
          "attach",
          {
            run: runArgument,
            ref: text("ref", "The commit that has the work (HEAD)."),
            key: signingKey,
            push: text("push", "Push it to this git remote, with what others have attached there kept."),
            ...where,
            json
          },
          (options) =>
            handle("receipts-attach", options.json, load.attachReceipts, ({ attachReceipts }) =>
              attachReceipts(options)
            )
        ).pipe(
          Command.withDescription(
            "Put the same to a commit, as a git note and under a ref of the run, so that every clone can verify it."
          ),
          examples(
            ["receipts attach --key key.pem", "Attach what the newest run proved to HEAD, signed."],
            ["receipts attach --push origin", "Attach it, and push it."]
          )
        )
      ])
    ),
  ci: () =>
    Command.make(
      "ci",
      {
        base: text("base", "The commit that the change builds on; what CI says when left out."),
        head: text("head", "The commit to be judged; what CI says, else HEAD."),
        require: choice("require", ciRequirements).pipe(
          Flag.withDescription(
            "What must be there: receipts that all hold, or also one that speaks of each changed file (receipts)."
          )
        ),
        advisory: asked("advisory", "Say everything, and end with 0 unless something attached is not to be trusted."),
        format: choice("format", ciFormats).pipe(Flag.withDescription("How it is written (text).")),
        out: outFlag,
        ...signed,
        plugins: asked(
          "plugins",
          "Let plugins of the project look at evidence of their kinds, which runs code of the repository."
        ),
        cwd: where.cwd,
        json: asked("json", "The same as --format json.")
      },
      (options) => handle("commit", printsDocument(options), load.ci, ({ ci }) => ci(options))
    ).pipe(
      Command.withDescription(
        "Verify the receipts of a change in CI, from its base to its head, and show at its lines what does not hold: no model, no key, and nothing of the repository is run."
      ),
      examples(
        ["ci", "Verify the pull request that this job runs for."],
        ["ci --base origin/main", "Verify what a branch adds."],
        ["ci --format sarif --out proofline.sarif", "Write it for code scanning too."]
      )
    )
}
