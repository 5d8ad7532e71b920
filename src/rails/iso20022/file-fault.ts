/**
 * Why a file from the bank is not taken. The message is for the operator, and repeats nothing that a person wrote.
 * `isIncomplete`: the file ends too early, as one that is still being written does. `isEncoding`: its bytes are not in the encoding that
 * it declares.
 */
export class FileFault extends Error {
  readonly isIncomplete: boolean
  readonly isEncoding: boolean

  constructor(
    message: string,
    { isIncomplete = false, isEncoding = false }: { isIncomplete?: boolean; isEncoding?: boolean } = {},
  ) {
    super(message)
    this.name = 'FileFault'
    this.isIncomplete = isIncomplete
    this.isEncoding = isEncoding
  }
}

/** Undefined where what the bank wrote cannot be read. */
export function unlessFaulty<Read>(read: () => Read): Read | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof FileFault) return undefined
    throw error
  }
}
