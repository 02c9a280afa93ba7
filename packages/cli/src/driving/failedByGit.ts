/** Why a project cannot be had by git. */
export interface FailedByGit {
  readonly code: string
  readonly message: string
  /** There is no repository, or no commit in it. */
  readonly isNone: boolean
}

type Refused = { readonly _tag: "GitFailed" | "WorkspaceRefused" }

/** Says such a failure in the words of whoever asked; any other stays as it is. */
export const sayingOfGit =
  <Said>(say: (failed: FailedByGit) => Said) =>
  <E extends { readonly _tag: string; readonly message: string }>(failure: E): Said | Exclude<E, Refused> => {
    if (failure._tag !== "GitFailed" && failure._tag !== "WorkspaceRefused") return failure as Exclude<E, Refused>
    const { code, message, reason }: { readonly message: string; readonly code?: string; readonly reason?: string } =
      failure
    return say({
      code: code ?? "workplace_git_failed",
      message,
      isNone: reason === "no_repository" || code === "workplace_no_repository"
    })
  }
