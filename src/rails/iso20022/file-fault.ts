/**
 * Why a file from the bank is not taken. The message is for the operator, and repeats nothing that a person wrote.
 * `incomplete`: the file ends too early, as one that is still being written does.
 */
export class FileFault extends Error {
  readonly isIncomplete: boolean

  constructor(message: string, { isIncomplete = false }: { isIncomplete?: boolean } = {}) {
    super(message)
    this.name = 'FileFault'
    this.isIncomplete = isIncomplete
  }
}
