import { bankFileActions, missingStatementActions, unknownAccountActions } from '../../exchange/actions/bank-files.ts'
import { whoApproved } from './who.ts'
import {
  type BankFileToDecide,
  listBankFilesToDecide,
  listMissingStatements,
  listUnknownAccounts,
} from '../../exchange/operations/bank-files.ts'
import { Moment, Table } from '../pages/table.tsx'
import { formsOf } from '../pages/actions.tsx'
import { group, type Visit } from './page.ts'

/** What can be done with files of banks. */
export const bankGroups = [group(bankFileActions), group(missingStatementActions), group(unknownAccountActions)]

/** What banks have sent and was refused, or have not sent. */
export async function bankPart(visit: Visit) {
  const { ctx } = visit
  const [files, gaps, unknown] = await Promise.all([
    listBankFilesToDecide(ctx),
    listMissingStatements(ctx),
    listUnknownAccounts(ctx),
  ])
  const approvedBy = await whoApproved(ctx, { action: 'bank_file.accepted', noun: 'bank_file' }, files)
  if (files.length + gaps.length === 0) return null
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
      {unknown.length === 0 ? null : (
        <Table
          caption="Accounts that are not in the configuration"
          columns={['Rail', 'Account', 'Files', 'Decide']}
          empty=""
          rows={await Promise.all(
            unknown.map(async (one) => {
              const forms = await formsOf(visit, unknownAccountActions, one, `${one.rail} ${one.account}`)
              return [one.rail, one.account, String(one.files.length), forms]
            }),
          )}
        />
      )}
    </section>
  )
}

const fileRow = async (visit: Visit, file: BankFileToDecide, approvedBy: string) => [
  <span class="wrap">{file.name}</span>,
  file.rail,
  <span class="wrap">{file.why}</span>,
  <span class="wrap">{approvedBy}</span>,
  await formsOf(visit, bankFileActions, file, `#${file.id}`),
]
