import type pg from 'pg'

/**
 * Judges what places promise at the moment at which it is committed, inside the database. What a place has left is what the postings
 * say that it holds, less what is reserved there. Three things must hold of every block, when it commits:
 *
 * - one that has reserved more leaves no less than nothing: no promise is made above what is held;
 * - one that leaves less than nothing, and less than there was, has booked money that was taken back (`deposit_reversed`), or what
 *   a rail has charged (`wallet_cost`, `method_cost`). Nothing else may: what sending costs was reserved before;
 * - no reserve counts on more than its place holds.
 *
 * A reserve's row stays locked until its block ends, and whoever takes money away needs it too, so nothing that others do at the
 * same time can be taken for this block's doing.
 */
const watch = `
  create table rooms (place text, asset text, room numeric not null, primary key (place, asset));
  create table broken_promises (place text, asset text, reserved numeric, held numeric, why text);

  create function judge_place(of_place text, of_asset text, is_raised boolean) returns void
  language plpgsql security definer as $$
  declare
    promised numeric;
    counted numeric;
    there numeric;
    was numeric;
  begin
    select coalesce(max(reserved), 0), coalesce(max(covered), 0) into promised, counted
    from reserves where place = of_place and asset = of_asset;
    select coalesce(sum(case debit when 'held:' || of_place then amount else -amount end), 0) into there
    from postings where asset = of_asset and 'held:' || of_place in (debit, credit);
    select coalesce(max(room), 0) into was from rooms where place = of_place and asset = of_asset;
    if is_raised and promised > there then
      insert into broken_promises values (of_place, of_asset, promised, there, 'was promised');
    elsif there - promised < least(0, was) and not exists (
      select from entries join postings on entry_id = entries.id
      where xid = pg_current_xact_id() and kind in ('deposit_reversed', 'wallet_cost', 'method_cost')
        and credit = 'held:' || of_place and asset = of_asset)
    then
      insert into broken_promises values (of_place, of_asset, promised, there, 'came to be uncovered');
    end if;
    if counted > greatest(there, 0) then
      insert into broken_promises values (of_place, of_asset, counted, there, 'counted as held');
    end if;
    insert into rooms values (of_place, of_asset, there - promised)
    on conflict (place, asset) do update set room = excluded.room;
  end $$;

  create function judge_reserve() returns trigger language plpgsql as $$
  begin
    perform judge_place(new.place, new.asset, new.reserved > coalesce(old.reserved, 0));
    return null;
  end $$;
  create constraint trigger reserve_written after insert or update on reserves deferrable initially deferred
    for each row execute function judge_reserve();

  create function judge_posting() returns trigger language plpgsql as $$
  begin
    if new.debit like 'held:%' then perform judge_place(substr(new.debit, 6), new.asset, false); end if;
    if new.credit like 'held:%' then perform judge_place(substr(new.credit, 6), new.asset, false); end if;
    return null;
  end $$;
  create constraint trigger posting_written after insert on postings deferrable initially deferred
    for each row when (new.debit like 'held:%' or new.credit like 'held:%') execute function judge_posting();
`

/** Has the database judge from now on. For test databases only: each block costs a look at all postings. */
export const watchPromises = async (owner: pg.Client): Promise<void> => {
  await owner.query(watch)
}

/** What was committed since the last time that must not be, one sentence each. */
export async function brokenPromises(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<Record<'place' | 'asset' | 'reserved' | 'held' | 'why', string>>({
    name: 'broken promises',
    text: 'delete from broken_promises returning place, asset, reserved::text, held::text, why',
  })
  return rows.map(
    ({ place, asset, reserved, held, why }) => `${reserved} of ${asset} ${why} at ${place}, which held ${held}`,
  )
}

/**
 * Whether more is promised at some place than is held there, now or before the last step: money that was promised has been taken
 * back. Rails know of it before the books do, which hear of it by a word that is still on its way.
 */
export async function isShort(owner: pg.Client): Promise<boolean> {
  const { rows } = await owner.query<{ now: boolean }>({
    name: 'short',
    text: `
      select exists (select 1 from reserves where reserved > coalesce((
        select sum(case debit when 'held:' || place then amount else -amount end) from postings
        where postings.asset = reserves.asset and 'held:' || place in (debit, credit)), 0))
      or exists (select 1 from deposits join sandbox.transfers on payment = hash where is_dropped and deposits.state = 'final')
      or exists (select 1 from deposits join sandbox.bank_payments on payment = 'bnk_' || bank_payments.id
        where bank_payments.state = 'recalled' and deposits.state = 'final')
      or exists (select 1 from deposits join sandbox.card_payments on payment = 'pay_' || card_payments.id
        where card_payments.state = 'charged_back' and deposits.state = 'final') as now`,
  })
  const is = rows[0]?.now ?? false
  const was = shortBefore.get(owner) ?? false
  shortBefore.set(owner, is)
  return is || was
}

const shortBefore = new WeakMap<pg.Client, boolean>()
