/** How a worker is to be, on the command line. */
export interface WorkerFlags {
  readonly slots?: number | undefined
  readonly labels?: string | undefined
  readonly setup?: string | undefined
}

export const usualSlots = 4
