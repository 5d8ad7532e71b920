/** Why a database that answers takes no writes. */
export type WriteFault = 'read_only' | 'disk_full'

/** One refusal of a write. */
export type RefusedWrite = { readonly why: WriteFault }

/**
 * The last write that the server refused for a reason that concerns all writes. Statements themselves say so: some writes need no
 * room and succeed on a full disk.
 */
export type RefusedWrites = {
  /** Takes the SQLSTATE of a statement that the server refused, and its text. Tells whether that concerns all writes. */
  note(sqlState: string, text: string): boolean
  last(): RefusedWrite | undefined
  /** A write that needs room has succeeded after this refusal. A newer one stays. */
  end(refused: RefusedWrite): void
}

const faults: Readonly<Record<string, WriteFault>> = { '25006': 'read_only', '53100': 'disk_full' }

/** A read whose sorting finds no room says the same of a disk, which may be another one. */
const writes = /\b(insert|update|delete|commit)\b/i

export function openRefusedWrites(): RefusedWrites {
  let last: RefusedWrite | undefined
  return {
    note: (sqlState, text) => {
      const why = writes.test(text) ? faults[sqlState] : undefined
      if (why) last = { why }
      return why !== undefined
    },
    last: () => last,
    end: (refused) => {
      if (last === refused) last = undefined
    },
  }
}
