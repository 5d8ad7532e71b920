import type { Atomic, Db } from '../../platform/db/sql.ts'

/** How a node was when it was last asked. `behind` the other one; `refuses` what it is asked; `disagrees` with the other one. */
export type NodeState = 'ok' | 'down' | 'behind' | 'refuses' | 'disagrees'

/** How both nodes are; undefined: not asked now. */
export type NodeStates = readonly [NodeState | undefined, NodeState | undefined]

/** Writes down how nodes are, and since when where that is new. */
export function keepNodes(db: Atomic, network: string, states: NodeStates, now: Date): void {
  for (const [index, state] of states.entries()) {
    if (state === undefined) continue
    db.send`
      insert into chain_nodes as known (network, number, state, since) values (${network}, ${index + 1}, ${state}, ${now})
      on conflict (network, number) do update set state = excluded.state, since = excluded.since
      where known.state <> excluded.state`
  }
}

/** Whether each node says what addresses held at a final block, as the other one does; null: it does. */
export type BalanceStates = readonly ('refuses' | 'disagrees' | null)[]

/** Writes down whether nodes say what addresses held, and since when where that is new. */
export const keepBalances = (db: Db, network: string, states: BalanceStates, now: Date): Promise<unknown[]> =>
  db.sql`
    insert into chain_nodes as known (network, number, state, since, balances, balances_since)
    select ${network}, number, 'ok', ${now}, said, case when said is not null then ${now}::timestamptz end
    from unnest(${[...states]}::text[]) with ordinality as states (said, number)
    on conflict (network, number) do update set balances = excluded.balances, balances_since = excluded.balances_since
    where known.balances is distinct from excluded.balances`

/** How the nodes of a network were last seen: one that answers may still not say what addresses held. */
export const readNodes = (db: Db, network: string): Promise<{ number: number; state: NodeState; since: Date }[]> =>
  db.sql`
    select number, case state when 'ok' then coalesce(balances, 'ok') else state end as state,
      case state when 'ok' then coalesce(balances_since, since) else since end as since
    from chain_nodes where network = ${network} order by number`

/** A node as it may be shown. Keys may be in its path, so only its server is. */
function shownNode(address: string): string {
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`
}

/** A node of a rail with its state, for operators. */
export type ShownNode = { url: string; state: NodeState; since: Date | null }

/** The nodes of a rail, by their addresses. One that was never asked counts as ok. */
export async function showNodes(db: Db, network: string, addresses: readonly string[]): Promise<ShownNode[]> {
  const known = await readNodes(db, network)
  return addresses.map((address, index) => {
    const found = known.find(({ number }) => number === index + 1)
    return { url: shownNode(address), state: found?.state ?? 'ok', since: found?.since ?? null }
  })
}
