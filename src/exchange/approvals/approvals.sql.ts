import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { ContentKind } from './content.ts'

/** An approval as it is stored. */
export type ApprovalRow = {
  id: bigint
  kind: ContentKind
  subject: string
  /** Of the content; null where it was carried over. */
  hash: Buffer | null
  approver: string
  keyId: bigint | null
  signature: string | null
  at: Date
  stamp: Buffer | null
  carriedOver: boolean
}

export type NewApproval = Omit<ApprovalRow, 'id' | 'carriedOver'>

export const insert = (db: Atomic, row: NewApproval): void =>
  db.send`
    insert into approvals (kind, subject, hash, approver, key_id, signature, at, stamp)
    values (${row.kind}, ${row.subject}, ${row.hash}, ${row.approver}, ${row.keyId}, ${row.signature}, ${row.at}, ${row.stamp})`

/** The approvals of some subjects, the oldest first. */
export const approvalsOf = (db: Db, kind: ContentKind, subjects: readonly string[]): Promise<ApprovalRow[]> =>
  db.sql`
    select id, kind, subject, hash, approver, key_id as "keyId", signature, at, stamp, carried_over as "carriedOver"
    from approvals where kind = ${kind} and subject = any(${subjects}) order by at, id`

/** All approvals of some kinds, the oldest first. */
export const approvalsOfKinds = (db: Db, kinds: readonly ContentKind[]): Promise<ApprovalRow[]> =>
  db.sql`
    select id, kind, subject, hash, approver, key_id as "keyId", signature, at, stamp, carried_over as "carriedOver"
    from approvals where kind = any(${kinds}) order by at, id`

/** The next approvals after an id. */
export const approvalsAfter = (db: Db, id: bigint, limit: number): Promise<ApprovalRow[]> =>
  db.sql`
    select id, kind, subject, hash, approver, key_id as "keyId", signature, at, stamp, carried_over as "carriedOver"
    from approvals where id > ${id} order by id limit ${limit}`

/** A key as it is stored, with the address of whose it is. */
export type KeyRow = {
  id: bigint
  number: number
  operatorId: bigint
  email: string
  kind: 'ed25519' | 'passkey'
  name: string
  publicKey: Buffer
  /** What a signature names its key by. */
  credential: Buffer
  site: string | null
  addedAt: Date
}

/** The part of a key that its owner gives. */
export type NewKey = Pick<KeyRow, 'kind' | 'name' | 'publicKey' | 'credential' | 'site'>

/** A signature, and what names the key that made it. */
export type KeySignature = { credential: Buffer; signature: string }

/** Signs the hash of a content with an operator's key. */
export type Sign = (hash: Buffer) => KeySignature | Promise<KeySignature>

/** All keys, in the order of their numbers. */
export const operatorKeys = (db: Db): Promise<KeyRow[]> =>
  db.sql`
    select operator_keys.id, number, operator_id as "operatorId", email, kind, operator_keys.name, public_key as "publicKey",
      credential, site, added_at as "addedAt"
    from operator_keys join operators on operators.id = operator_id order by number`

/** Lets one process at a time add a key. */
export const lockKeys = (db: Atomic): void =>
  db.send`select pg_advisory_xact_lock(hashtextextended('operator keys', 0))`

export const insertKey = (db: Atomic, row: Omit<KeyRow, 'email'>): void =>
  db.send`
    insert into operator_keys (id, number, operator_id, kind, name, public_key, credential, site, added_at)
    values (${row.id}, ${row.number}, ${row.operatorId}, ${row.kind}, ${row.name}, ${row.publicKey}, ${row.credential}, ${row.site},
      ${row.addedAt})`

/** An operator, as far as an approval is about who gave it, and what signs them in. */
export type PersonRow = {
  id: bigint
  email: string
  role: string
  disabledAt: Date | null
  passwordHash: string
  totpSecret: Buffer | null
  totpStep: bigint | null
}

type Proof = ApprovalRow | { [Column in keyof ApprovalRow]: null }

/** Operators, each with what proves it, as they are at one moment: a change writes both. One of them, or all for null. */
export const provenPeople = (db: Db, id: bigint | null): Promise<{ person: PersonRow; proof: ApprovalRow[] }[]> =>
  db.sql<Omit<PersonRow, 'id'> & { personId: bigint } & Proof>`
      select operators.id as "personId", email, role, disabled_at as "disabledAt", password_hash as "passwordHash",
        totp_secret as "totpSecret", totp_step as "totpStep", proof.id, proof.kind, proof.subject, proof.hash, proof.approver,
        proof.key_id as "keyId", proof.signature, proof.at, proof.stamp, proof.carried_over as "carriedOver"
      from operators left join approvals as proof on proof.kind = 'operator' and proof.subject = operators.id::text
      where ${id}::bigint is null or operators.id = ${id} order by operators.id, proof.at, proof.id`.then((rows) => {
    const found = new Map<bigint, { person: PersonRow; proof: ApprovalRow[] }>()
    for (const row of rows) {
      const { personId, email, role, disabledAt, passwordHash, totpSecret, totpStep } = row
      const person = { id: personId, email, role, disabledAt, passwordHash, totpSecret, totpStep }
      const one = found.get(personId) ?? { person, proof: [] }
      if (row.id !== null) one.proof.push(row)
      found.set(personId, one)
    }
    return [...found.values()]
  })
