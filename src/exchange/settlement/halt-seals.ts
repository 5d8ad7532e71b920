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

/** Seals what is halted and has no seal of the exchange: it is from before there were any, or was not written by the exchange. */
export async function sealUnsealed(deps: Deps, db: Atomic): Promise<void> {
  const halts = await db.sql<Sealed>`select scope, name from halts where scope <> 'crediting' for update`
  const seals = await unopened(deps, db)
  for (const halt of halts) if (!seals.some((seal) => seal.key && isOf(halt)(seal))) sealHalt(deps, db, halt)
}

/** What keeps a halt: the numbers of the exchange's own seals, and a sentence about others that nobody but the owner of the tables ends. */
export async function sealsOf(
  deps: Deps,
  db: Db,
  halt: Sealed,
): Promise<{ own: string[]; foreign: string | undefined }> {
  const { own, foreign } = split((await unopened(deps, db)).filter(isOf(halt)))
  return { own: own.map(({ nonce }) => nonce), foreign: foreignText(foreign) }
}

/** Opens what keeps a halt, in the block that ends it, once it was checked who ends it. CONFLICT where somebody else has sealed it, too. */
export async function openSeals(deps: Deps, db: Atomic, halt: Sealed): Promise<void> {
  const { own, foreign } = split((await unopened(deps, db)).filter(isOf(halt)))
  const why = foreignText(foreign)
  if (why !== undefined) throw new Refusal('CONFLICT', why)
  for (const { nonce, key } of own) db.send`update halt_seals set key = ${key} where nonce = ${nonce}`
}

/** The seals that keep a halt and that the exchange has not made. */
export const foreignSeals = async (deps: Deps, db: Db): Promise<(Sealed & { nonce: string })[]> =>
  split(await unopened(deps, db)).foreign

/** A seal that is not open, with its key if the exchange has made it. */
type Seal = Sealed & { nonce: string; key: Buffer | undefined }

async function unopened(deps: Deps, db: Db): Promise<Seal[]> {
  const rows = await db.sql<Sealed & { nonce: string; seal: Buffer }>`
    select scope, name, nonce, seal from halt_seals where key is null order by scope, name, nonce`
  return rows.map(({ seal, ...row }) => {
    const key = keyOf(deps, row.nonce)
    return { ...row, key: sealOf(key).equals(seal) ? key : undefined }
  })
}

const isOf =
  ({ scope, name }: Sealed) =>
  (seal: Sealed): boolean =>
    seal.scope === scope && seal.name === name

const split = (seals: readonly Seal[]): { own: Seal[]; foreign: Seal[] } => ({
  own: seals.filter(({ key }) => key),
  foreign: seals.filter(({ key }) => !key),
})

/** How many foreign seals a sentence names. */
const mostNamed = 5

function foreignText(foreign: readonly Seal[]): string | undefined {
  if (foreign.length === 0) return undefined
  const named = foreign.slice(0, mostNamed).map(({ nonce }) => nonce)
  const more = foreign.length > mostNamed ? ` and ${foreign.length - mostNamed} more` : ''
  const [seals, rows] = foreign.length === 1 ? ['seal', 'row'] : ['seals', 'rows']
  return `The exchange did not make the ${seals} ${named.join(', ')}${more} of this halt: somebody writes to its database. Find out who, then delete the ${rows} of halt_seals as the owner of the database.`
}

const sealOf = (key: Buffer): Buffer => createHash('sha256').update(key).digest()

const keyOf = ({ secrets }: Deps, nonce: string): Buffer => stampText(secrets.keyFor('halts'), `seal ${nonce}`)
