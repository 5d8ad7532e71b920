import {
  bankFileActions,
  ignoredAccountActions,
  missingStatementActions,
  unknownAccountActions,
} from '../../exchange/actions/bank-files.ts'
import type { UnknownAccount } from '../../rails/iso20022/files.ts'
import { whoApproved } from './who.ts'
import {
  type BankFileToDecide,
  listBankFilesToDecide,
  listIgnoredAccounts,
  listMissingStatements,
  listUnknownAccounts,
} from '../../exchange/operations/bank-files.ts'
import { Moment, Table } from '../pages/table.tsx'
import { formsOf } from '../pages/actions.tsx'
import { group, type Visit } from './page.ts'

/** What can be done with files of banks. */
export const bankGroups = [
  group(bankFileActions),
  group(missingStatementActions),
  group(unknownAccountActions),
  group(ignoredAccountActions),
]

/** What banks have sent and was refused, or have not sent. */
export async function bankPart(visit: Visit) {
  const { ctx } = visit
  const [files, gaps, unknown, ignored] = await Promise.all([
    listBankFilesToDecide(ctx),
    listMissingStatements(ctx),
    listUnknownAccounts(ctx),
    listIgnoredAccounts(ctx),
  ])
  const approvedBy = await whoApproved(ctx, { action: 'bank_file.accepted', noun: 'bank_file' }, files)
  if (files.length + gaps.length + unknown.length + ignored.length === 0) return null
  return (
    <section aria-labelledby="bank">
      <h2 id="bank">Files of banks</h2>
      <Table
        caption="Files that were refused"
        columns={['File', 'Rail', 'Why', 'Accepted by', 'Decide']}
        empty="No file was refused."
        rows={await Promise.all(files.map((one) => fileRow(visit, one, approvedBy(one))))}
      />
      {gaps.length === 0 ? null : (
        <Table
          caption="Statements that are missing"
          columns={['Rail', 'Account', 'Numbers', 'Since', 'Decide']}
          empty=""
          rows={await Promise.all(
            gaps.map(async (gap) => {
              const { rail, account, first, last, since } = gap
              const id = `${rail} ${account} ${first}`
              const numbers = last > first ? `${first}-${last}` : String(first)
              const forms = await formsOf(visit, missingStatementActions, gap, id)
              return [rail, `…${account.slice(-4)}`, numbers, <Moment at={since} />, forms]
            }),
          )}
        />
      )}
      {await accountsTable(visit, 'Accounts that are not in the configuration', unknown, unknownAccountActions)}
      {await accountsTable(visit, 'Accounts that are ignored', ignored, ignoredAccountActions)}
    </section>
  )
}

async function accountsTable(
  visit: Visit,
  caption: string,
  accounts: readonly UnknownAccount[],
  actions: typeof unknownAccountActions,
) {
  if (accounts.length === 0) return null
  const rows = accounts.map(async (one) => {
    const { rail, account, files } = one
    return [rail, account, String(files.length), await formsOf(visit, actions, one, `${rail} ${account}`)]
  })
  return (
    <Table caption={caption} columns={['Rail', 'Account', 'Files', 'Decide']} empty="" rows={await Promise.all(rows)} />
  )
}

const fileRow = async (visit: Visit, file: BankFileToDecide, approvedBy: string) => [
  <span class="wrap">{file.name}</span>,
  file.rail,
  <span class="wrap">{file.why}</span>,
  <span class="wrap">{approvedBy}</span>,
  await formsOf(visit, bankFileActions, file, `#${file.id}`),
]
