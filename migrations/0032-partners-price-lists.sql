-- The price lists that partner accounts had in their settings become policies of these partners. The settings keep them until a
-- later version, for processes of this one's predecessor.
set local lock_timeout = '5s';

create function pg_temp.percent(points jsonb) returns text language sql as
$$ select trim_scale((points #>> '{}')::numeric / 100)::text || '%' $$;

with lists as (
  select partners.id as partner_id, named.kind, list, (list ->> 'from')::timestamptz as effective_at
  from partners
    cross join lateral (values ('fees', settings #> '{terms,feeSchedules}'), ('b2b', settings #> '{terms,b2bFeeSchedules}'))
      as named (kind, lists)
    cross join lateral jsonb_array_elements(coalesce(named.lists, '[]')) as list
)
insert into policies (kind, version, partner_id, document, author, reason, proposed_at, effective_at, approved_at, approved_by)
select kind, (select coalesce(max(version), 1) from policies where policies.kind = lists.kind) + row_number() over (partition by kind order by effective_at, partner_id, list ->> 'version'), partner_id,
  jsonb_build_object(
    'service', jsonb_build_object(
      'buy', pg_temp.percent(list #> '{serviceBasisPoints,buy}'),
      'sell', pg_temp.percent(list #> '{serviceBasisPoints,sell}'),
      'swap', pg_temp.percent(list #> '{serviceBasisPoints,swap}')),
    'minimum', list ->> 'serviceMinimum',
    'methods', case kind
      when 'fees' then '{"VISA_MC": "2.5%", "APPLE_PAY": "2.5%", "GOOGLE_PAY": "2.5%", "REVOLUT_PAY": "1%", "OPEN_BANKING": "0.5%",
        "PSE": "1.5%", "SEPA": "0%", "FASTERPAYMENTS": "0%", "PIX": {"deposit": "0.5%", "payout": "0.2%"}, "SPEI": "0.2%",
        "SWIFT": {"deposit": "0%", "payout": "0.5%"}, "CRYPTO": "0%"}'::jsonb
      else '{"SEPA": "0%", "FASTERPAYMENTS": "0%", "PIX": "0.1%", "SPEI": "0.05%",
        "SWIFT": {"deposit": "0%", "payout": "0.1%"}, "CRYPTO": "0%"}'::jsonb end,
    'spread', pg_temp.percent(list #> '{spreadBasisPoints,buy}'),
    'spread_by_side', jsonb_build_object(
      'sell', pg_temp.percent(list #> '{spreadBasisPoints,sell}'),
      'swap', pg_temp.percent(list #> '{spreadBasisPoints,swap}'))),
  'system', 'Price list ' || (list ->> 'version') || ' of the account.', effective_at, effective_at, effective_at, 'system'
from lists;

-- What every account had by default is the policy `slippage` now.
update partners set settings = settings - 'slippageBasisPoints' where settings -> 'slippageBasisPoints' = '200';

do $$
begin
  if (select count(*) from policies where partner_id is not null) <> (
    select coalesce(sum(jsonb_array_length(coalesce(settings #> '{terms,feeSchedules}', '[]'))
      + jsonb_array_length(coalesce(settings #> '{terms,b2bFeeSchedules}', '[]'))), 0) from partners)
  then raise exception 'Not every price list of a partner became a policy.'; end if;
end $$;
