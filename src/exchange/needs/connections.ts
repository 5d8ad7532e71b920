import { causesOf, type Finding, type NeedSource, timesOf } from './need.ts'

const rail = ({ subject }: Finding): string => `rail ${subject}`

const findHalts: NeedSource['find'] = ({ db }, look) => db.sql<Finding>`
  select wanted.cause, case name when '' then scope else name end as subject, since, null as "order",
    regexp_replace(reason, '[.]$', '') as about, case scope when 'asset' then name end as asset, null as amount, null as count
  from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
  join halts on scope = wanted.cause and since <= before
  order by since, scope, name limit ${look.limit}`

/** Rails that halted by themselves. */
export const uncreditedRails: NeedSource = {
  kind: 'rail',
  permission: 'system.manage',
  causes: {
    crediting: {
      urgency: 'now',
      sentence: 'Money that comes by {subject} is not credited: {about}. Find out why, then let it continue.',
    },
  },
  page: () => '/console/system#halts',
  identity: rail,
  find: findHalts,
}

/** What an operator has halted. What another operator has to agree to is an approval. */
export const haltedRails: NeedSource = {
  kind: 'rail',
  permission: 'system.halt',
  causes: {
    rail: {
      urgency: 'now',
      sentence: 'Nothing is credited or paid by {subject}: {about}. It continues once two operators resume it.',
    },
    asset: {
      urgency: 'now',
      sentence: '{asset} is not exchanged or paid out: {about}. It continues once two operators resume it.',
    },
    payouts: {
      urgency: 'now',
      sentence: 'No payout leaves: {about}. They continue once two operators resume them.',
    },
    all: {
      urgency: 'now',
      sentence: 'No order is taken and nothing leaves: {about}. Everything continues once two operators resume it.',
    },
  },
  page: () => '/console/system#halts',
  identity: rail,
  find: findHalts,
}

/** Chains whose nodes do not agree, or do not answer, for now or so that nothing is credited any more. Times are real. */
export const doubtfulNodes: NeedSource = {
  kind: 'node',
  permission: 'system.halt',
  clock: 'real',
  causes: {
    unsure: {
      urgency: 'today',
      sentence:
        '{about} Payments that come there become final once that is over. If it lasts, tell the people who run the nodes.',
    },
    halted: {
      urgency: 'now',
      sentence: '{about} Nothing that comes there is credited until that is over. Tell the people who run the nodes.',
    },
  },
  page: () => '/console/system#rails',
  identity: rail,
  find: ({ db, rails }, look) => {
    const named = rails.all.flatMap(({ name, serves }) =>
      serves.flatMap(({ networks }) => (networks === 'any' ? [] : networks.map((network) => [name, network] as const))),
    )
    return db.sql<Finding>`
      with chains as (select network, halted is not null as is_halted, is_passing, unsure_since from chain_follows)
      select wanted.cause, coalesce(rail, chains.network) as subject, unsure_since as since, null as "order",
        coalesce(replace(doubtful.sentence, '{rail}', coalesce(rail, chains.network)),
          'The nodes of ' || coalesce(rail, chains.network) || ' do not agree.') as about, null as asset, null as amount, null as count
      from chains
      join unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
        on wanted.cause = case when is_halted then 'halted' else 'unsure' end and unsure_since <= before
      left join lateral (
        select rail from unnest(${named.map(([name]) => name)}::text[], ${named.map(([, network]) => network)}::text[])
          with ordinality as named (rail, network, place)
        where named.network = chains.network order by place limit 1) as named on true
      left join lateral (
        select case state
            when 'down' then 'The ' || which || 'node of {rail} does not answer.'
            when 'refuses' then 'The ' || which || 'node of {rail} refuses what it is asked.'
            when 'behind' then 'The ' || which || 'node of {rail} is behind the other one.'
            when 'disagrees' then case when both_differ then null else 'The ' || which || 'node of {rail} sends nonsense.' end
          end as sentence
        from (
          select state, since, number, case when count(*) over () = 1 then '' when number = 1 then 'first ' else 'second ' end as which,
            bool_and(state = 'disagrees') over () and count(*) over () = 2 as both_differ
          from chain_nodes where chain_nodes.network = chains.network) as nodes
        where state <> 'ok' order by since desc, number limit 1) as doubtful on true
      where is_passing or not is_halted
      order by unsure_since, chains.network limit ${look.limit}`
  },
}

/** Nodes that do not say what addresses held at a final block, or not what the other one says. Times are real. */
export const silentBalances: NeedSource = {
  kind: 'node',
  permission: 'system.halt',
  clock: 'real',
  causes: {
    balances: {
      urgency: 'today',
      sentence:
        'A node of {about} does not say what addresses held, or not what the other one says. No coins that contracts bring there are credited until then. Tell the people who run the nodes.',
    },
  },
  page: () => '/console/system#rails',
  identity: ({ subject }) => `balances ${subject}`,
  find: ({ db, rails }, look) => {
    const named = rails.all.flatMap(({ name, serves }) =>
      serves.flatMap(({ networks }) => (networks === 'any' ? [] : networks.map((network) => [name, network] as const))),
    )
    return db.sql<Finding>`
      select wanted.cause, network as subject, min(balances_since) as since, null as "order", coalesce(min(rail), network) as about,
        null as asset, null as amount, null as count
      from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
      join chain_nodes on balances_since <= before
      left join unnest(${named.map(([name]) => name)}::text[], ${named.map(([, network]) => network)}::text[])
        as named (rail, of) on of = network
      group by wanted.cause, network order by since, subject limit ${look.limit}`
  },
}

/** The database went back in time, and nothing leaves until operators have looked. */
export const restored: NeedSource = {
  kind: 'restored',
  permission: 'system.manage',
  causes: {
    restored: {
      urgency: 'now',
      sentence:
        'The exchange was restored from a backup, and nothing leaves: {about} Compare what was paid, then open it.',
    },
  },
  page: () => '/console/system#halts',
  find: ({ db }, look) => db.sql<Finding>`
    select wanted.cause, 'exchange' as subject, since, null as "order", reason as about, null as asset, null as amount,
      null as count
    from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
    join halts on scope = 'restored' and since <= before limit ${look.limit}`,
}
