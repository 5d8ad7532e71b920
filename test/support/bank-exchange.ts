import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ourIban } from './camt.ts'
import { type CommandLine, commandLine } from './command.ts'
import { type Exchange, startExchange } from './exchange.ts'
import { FolderBank } from './folder-bank.ts'
import { readyToPay, referenceOf } from './journey.ts'
import { until } from './telling.ts'

/** An exchange whose transfers in euro are a bank's that exchanges files, everything else the sandbox's. */
export type BankExchange = {
  exchange: Exchange
  bank: FolderBank
  folder: string
  line: CommandLine
  /** An order that waits for a transfer, and its reference. */
  awaited(amount?: string): Promise<{ id: string; reference: string }>
  /** Waits until the folder holds nothing that is to be taken. */
  taken(): Promise<void>
  stop(): Promise<void>
}

/** The account that the bank of a test has for us. */
export const ourAccount = `{ currency: EUR, iban: ${ourIban}, bic: BYLADEM1001, holder: Example Ltd }`

/** Starts it. `accounts` as in CONFIG_FILE; `more` is what its entry has besides. */
export async function startBankExchange(
  { accounts = [ourAccount], more = '' }: { accounts?: readonly string[]; more?: string } = {},
  beat?: Parameters<typeof startExchange>[1],
): Promise<BankExchange> {
  const folder = mkdtempSync(join(tmpdir(), 'cambio-bank-story-'))
  const file = join(folder, 'exchange.yaml')
  writeFileSync(
    file,
    `rails:
  - { kind: iso20022, name: bank-1, in: ./in, out: ./out, every: PT0.2S, serves: [SEPA]${more},
      accounts: [${accounts.join(', ')}] }
`,
  )
  const exchange = await startExchange({ RATE_LIMITS: 'off', CONFIG_FILE: file }, beat)
  return {
    exchange,
    bank: new FolderBank(folder, 0n),
    folder,
    line: commandLine({ DATABASE_URL: exchange.ownerUrl, DATA_DIR: exchange.dataDir, CONFIG_FILE: file }),
    awaited: async (amount = '100') => {
      const { id } = await readyToPay(exchange, { from_amount: amount, deposit: { payment_category: 'SEPA' } })
      return { id, reference: await referenceOf(exchange, id) }
    },
    taken: () =>
      until(
        () => Promise.resolve(readdirSync(join(folder, 'in')).every((name) => ['done', 'refused'].includes(name))),
        'the files',
      ),
    stop: async () => {
      await exchange.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
