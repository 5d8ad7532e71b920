import { createHash, randomUUID } from 'node:crypto'

import type { Atomic, Db } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Secrets } from '../../platform/privacy/master-key.ts'
import { stampText } from '../../platform/privacy/stamp.ts'
import type { Halt } from '../../rails/halts.ts'

type Deps = { secrets: Pick<Secrets, 'keyFor'> }
type Sealed = Pick<Halt, 'scope' | 'name'>

/** Keeps a halt: the service's database role can't end it before its key is written down, which the database alone doesn't give. */
export function sealHalt(deps: Deps, db: Atomic, { scope, name }: Sealed): void {
  const nonce = randomUUID()
  const seal = sealOf(keyOf(deps, nonce))
  db.send`insert into halt_seals (nonce, scope, name, seal) values (${nonce}, ${scope}, ${name}, ${seal})`
}

/**
 * Opens what keeps a halt, in the block that ends it, once it was checked who ends it. CONFLICT where somebody else has sealed it, too: only
 * the owner of the tables ends that.
 */
export async function openSeals(deps: Deps, db: Atomic, sealed: Sealed): Promise<void> {
  for (const { scope, name, nonce, key } of await unopened(deps, db)) {
    if (scope !== sealed.scope || name !== sealed.name) continue
    if (!key) {
      throw new Refusal(
        'CONFLICT',
        `The exchange did not make the seal ${nonce} of this halt: somebody writes to its database. Find out who, then delete the row of halt_seals as the owner of the database.`,
      )
    }
    db.send`update halt_seals set key = ${key} where nonce = ${nonce}`
  }
}

/** The seals that keep a halt and that the exchange has not made. */
export const foreignSeals = async (deps: Deps, db: Db): Promise<(Sealed & { nonce: string })[]> =>
  (await unopened(deps, db)).filter(({ key }) => !key)

/** The seals that are not open, each with its key if the exchange has made it. */
async function unopened(deps: Deps, db: Db): Promise<(Sealed & { nonce: string; key: Buffer | undefined })[]> {
  const rows = await db.sql<Sealed & { nonce: string; seal: Buffer }>`
    select scope, name, nonce, seal from halt_seals where key is null order by scope, name, nonce`
  return rows.map(({ seal, ...row }) => {
    const key = keyOf(deps, row.nonce)
    return { ...row, key: sealOf(key).equals(seal) ? key : undefined }
  })
}

const sealOf = (key: Buffer): Buffer => createHash('sha256').update(key).digest()

const keyOf = ({ secrets }: Deps, nonce: string): Buffer => stampText(secrets.keyFor('halts'), `seal ${nonce}`)
