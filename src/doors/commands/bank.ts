import { type BankFile, listBankFiles } from '../../rails/iso20022/files.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'

/** Lists the files of banks, a row for each statement. */
export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async ({ db }) => {
    const json = (await listBankFiles(db)).map(shown)
    return { json, text: json.length === 0 ? 'No file has come from a bank.' : layOut(json) }
  })

const shown = ({ file, state, why, account, number, entries, rail, received_at: at }: BankFile) => ({
  file,
  state,
  why,
  account,
  number: number === null ? null : String(number),
  entries,
  rail,
  at: at.toISOString(),
})
