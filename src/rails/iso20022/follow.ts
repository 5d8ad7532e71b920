import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { keepLooking } from '../keep-looking.ts'
import type { Bank, BankReports } from './bank.ts'
import { endLease, takeLease } from './lease.ts'
import { folderOutbox, type Outbox } from './paying/outbox.ts'
import { formBatch, publishBatches } from './paying/send-batches.ts'
import { takeFiles } from './receiving/take-files.ts'
import { fetchFiles, sftpOutbox } from './sftp.ts'

/** A process that may follow a bank: its name among several, where payment files go, and who hears what the bank reports. */
export type BankFollower = {
  bank: Bank
  holder: string
  outbox: Outbox
  /** Files of the server that this process has fetched. */
  fetched: Set<string>
  reports: BankReports
}

/** How long a process that fell silent keeps a bank, in real milliseconds. Far longer than one round. */
const leaseMs = 120_000

export const newBankFollower = (bank: Bank, reports: BankReports): BankFollower => ({
  bank,
  holder: randomToken(9),
  outbox: bank.sftp ? sftpOutbox(bank.sftp) : folderOutbox(bank.outFolder),
  fetched: new Set(),
  reports,
})

/** Takes the bank's files, and lets payment files leave. False where another process follows this bank. */
export async function followBankOnce({ bank, holder, outbox, fetched, reports }: BankFollower): Promise<boolean> {
  const now = bank.clock.realNow()
  if ((await takeLease(bank.db, bank.name, { holder, now, until: after(now, leaseMs) })).length === 0) return false
  // What has left before the bank answered is known before its answer is read, and what could not leave is tried again first.
  const failures: unknown[] = []
  for (const step of [
    () => publishBatches(bank, outbox),
    async () => bank.sftp && fetchFiles(bank, bank.sftp, fetched),
    () => takeFiles(bank, holder, reports),
    () => formBatch(bank, holder, reports),
    () => publishBatches(bank, outbox),
  ]) {
    await step().catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
  return true
}

/** Follows a bank until it is stopped. What fails is tried again. */
export function keepFollowingBank(follower: BankFollower): { stop(): Promise<void> } {
  const { db, log, name, everyMs } = follower.bank
  return keepLooking({
    look: async () => {
      await followBankOnce(follower)
      return false
    },
    onError: (err) => log.warn({ err, rail: name }, 'The files of a bank could not be exchanged; trying again.'),
    everyMs,
    release: () => endLease(db, name, follower.holder),
  })
}
