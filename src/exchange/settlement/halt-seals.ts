import { createHash, randomUUID } from 'node:crypto'

import type { Atomic } from '../../platform/db/sql.ts'
import type { Secrets } from '../../platform/privacy/master-key.ts'
import { stampText } from '../../platform/privacy/stamp.ts'
import type { Halt } from '../../rails/halts.ts'

type Deps = { secrets: Pick<Secrets, 'keyFor'> }
type Sealed = Pick<Halt, 'scope' | 'name'>

/** Keeps a halt: the service's database role can't end it before its key is written down, which the database alone doesn't give. */
export function sealHalt(deps: Deps, db: Atomic, { scope, name }: Sealed): void {
  const nonce = randomUUID()
  const seal = createHash('sha256').update(keyOf(deps, nonce)).digest()
  db.send`insert into halt_seals (nonce, scope, name, seal) values (${nonce}, ${scope}, ${name}, ${seal})`
}

/** Opens what keeps a halt, in the block that ends it, once it was checked who ends it. A seal that another program made stays. */
export async function openSeals(deps: Deps, db: Atomic, { scope, name }: Sealed): Promise<void> {
  const open = await db.sql<{ nonce: string; seal: Buffer }>`
    select nonce, seal from halt_seals where scope = ${scope} and name = ${name} and key is null`
  for (const { nonce, seal } of open) {
    const key = keyOf(deps, nonce)
    if (!createHash('sha256').update(key).digest().equals(seal)) continue
    db.send`update halt_seals set key = ${key} where nonce = ${nonce}`
  }
}

const keyOf = ({ secrets }: Deps, nonce: string): Buffer => stampText(secrets.keyFor('halts'), `seal ${nonce}`)
