import { claimSilenceMs } from "@proofline/kernel"
import { byIndex, deadlineMs, definer, type Names, queueName } from "./names.ts"

/** The statements of pg-boss on jobs of our queue, with their parameters as it numbers them. */
export interface BossStatements {
  /** `$1`: groups that are left out. */
  readonly fetch: string
  /** `$1`: queue, `$2`: ids, `$3`: output, `$4`: `id:retryCount` of each. */
  readonly complete: string
  readonly fail: string
}

export const queueFunctions = (names: Names, boss: BossStatements): ReadonlyArray<string> => [
  ...bossFunctions(names, boss),
  beat(names),
  claim(names),
  keep(names),
  settle(names),
  release(names),
  endWorkers(names)
]

const bossFunctions = ({ schema }: Names, { complete, fail, fetch }: BossStatements): ReadonlyArray<string> => [
  `create or replace function ${schema}.boss_fetch(text[]) returns table (fetched_job uuid, fetched_attempt int)
  language plpgsql ${byIndex} set enable_sort = off as $$
  #variable_conflict use_column
  begin
    return query with fetched as (${fetch}) select id, "retryCount" from fetched;
  end $$`,
  ...Object.entries({ complete, fail }).map(
    ([name, text]) => `create or replace function ${schema}.boss_${name}(text, uuid[], jsonb, text[])
  returns table (settled_count bigint, settled_ids uuid[]) language plpgsql ${byIndex} as $$
  #variable_conflict use_column
  begin
    return query ${text};
  end $$`
  )
]

/** A claim that may be handed out again; `_live` are the workers that nobody suspects. */
const silent = `(i.kept_at < _now - interval '${claimSilenceMs} milliseconds' or i.worker <> all(_live))`

/** `_workers` live; those in `_gone` do not, and what they hold is free. Answers whether work of somebody is silent. */
const beat = (names: Names): string => `
create or replace function ${names.schema}.beat(_workers jsonb, _gone text[]) returns boolean ${definer(names)} as $$
#variable_conflict use_column
declare
  _now timestamptz := ${names.queueSchema}.job_now();
begin
  insert into worker (name, host, pid, slots, labels, version, seen_at, deadline)
    select w.name, w.host, w.pid, w.slots, array(select jsonb_array_elements_text(w.labels)), w.version,
      _now, _now + interval '${deadlineMs} milliseconds'
    from jsonb_to_recordset(_workers) as w(name text, host text, pid int, slots int, labels jsonb, version text)
    on conflict (name) do update set slots = excluded.slots, labels = excluded.labels, seen_at = excluded.seen_at,
      deadline = excluded.deadline;
  if cardinality(_gone) > 0 then perform end_workers(_gone); end if;
  return exists (
    select from work_item i where i.state = 'claimed'
      and not exists (select from worker w where w.name = i.worker and w.deadline >= _now));
end $$`

/**
 * Gives the items that come first to a taker that has slots for them. What one `_ask` gave is given again when it is
 * asked a second time, because the answer was lost.
 */
const claim = (names: Names): string => `
create or replace function ${names.schema}.claim(
  _worker jsonb, _taker text, _ask bigint, _repeated boolean, _slots int, _labels text[], _suspect boolean
) returns jsonb ${definer(names)} as $$
#variable_conflict use_column
declare
  _now timestamptz := ${names.queueSchema}.job_now();
  _name text := _worker->>'name';
  _live text[];
  _ignored text[];
  _free int;
  _claims jsonb[] := '{}';
  _silent boolean;
  _best work_item;
  _job record;
  _item work_item;
  _taken boolean := false;
  _next timestamptz;
begin
  perform beat(jsonb_build_array(_worker), '{}');
  if _repeated then
    select coalesce(array_agg(jsonb_build_object('item', item, 'lease', lease) order by dispatched), '{}') into _claims
      from work_item where state = 'claimed' and taker = _taker and ask = _ask;
    if cardinality(_claims) > 0 then return jsonb_build_object('claims', _claims); end if;
  end if;
  select coalesce(array_agg(name), '{}') into _live from worker where deadline >= _now or not _suspect;
  _free := _slots - (
    select count(*) from work_item i where i.state = 'claimed' and i.taker = _taker and not ${silent});
  if _free > 0 then
    select coalesce(array_agg(id::text), '{}') into _ignored from label_set where not labels <@ _labels;
    _silent := exists (select from work_item i where i.state = 'claimed' and ${silent});
  end if;
  while _free > 0 loop
    if _silent then
      select * into _best from work_item i
        where i.state = 'claimed' and i.label_set::text <> all(_ignored) and ${silent}
        order by i.priority desc, i.dispatched limit 1 for update skip locked;
      _silent := found;
      if _silent and not exists (
        select from ${names.queueSchema}.job j
        where j.name = '${queueName}' and j.state < 'active' and not j.blocked and j.start_after <= _now
          and j.group_id <> all(_ignored)
          and (j.priority > _best.priority or (j.priority = _best.priority and j.created_on < _best.dispatched))
      ) then
        perform boss_fail('${queueName}', array[_best.job], null, array[_best.job || ':' || _best.attempt]);
      end if;
    end if;
    select * into _job from boss_fetch(_ignored);
    exit when not found;
    select * into _item from work_item where job = _job.fetched_job for update;
    if not found or _item.state in ('settled', 'cancelled') then
      perform boss_complete('${queueName}', array[_job.fetched_job], null,
        array[_job.fetched_job || ':' || _job.fetched_attempt]);
      continue;
    end if;
    _taken := _taken or _item.state = 'claimed';
    update work_item set state = 'claimed', lease = lease + 1, attempt = _job.fetched_attempt, worker = _name,
        taker = _taker, ask = _ask, claimed_at = _now, kept_at = _now
      where id = _item.id;
    _claims := _claims || jsonb_build_object('item', _item.item, 'lease', _item.lease + 1);
    _free := _free - 1;
  end loop;
  -- whoever lost a claim has a slot free now
  if _taken then perform pg_notify('${names.channel}', ' work'); end if;
  if cardinality(_claims) = 0 then
    select min(due) into _next from work_item where state = 'queued' and due > _now;
  end if;
  return jsonb_build_object('claims', _claims, 'next', extract(epoch from _next - _now) * 1000);
end $$`

/** Answers with the numbers, from 1, of those that are lost. What pg-boss has put back meanwhile is taken up again. */
const keep = (names: Names): string => `
create or replace function ${names.schema}.keep(_worker text, _items text[], _leases bigint[]) returns jsonb
${definer(names)} as $$
#variable_conflict use_column
declare
  _now timestamptz := ${names.queueSchema}.job_now();
  _kept jsonb;
begin
  perform 1 from work_item where id = any(_items) order by id for no key update;
  with kept as (
    update work_item w set kept_at = _now
      from unnest(_items, _leases) with ordinality as a(item, number, n)
      where w.id = a.item and w.lease = a.number and w.state = 'claimed' and w.worker = _worker
      returning a.n, w.job, w.attempt
  ), touched as (
    update ${names.queueSchema}.job j set state = 'active', heartbeat_on = _now
      from kept k
      where j.name = '${queueName}' and j.id = k.job and j.retry_count = k.attempt and j.state in ('active', 'retry')
  )
  select coalesce(jsonb_agg(n), '[]') into _kept from kept;
  return _kept;
end $$`

const settle = (names: Names): string => `
create or replace function ${names.schema}.settle(_items text[], _leases bigint[]) returns void ${definer(names)} as $$
#variable_conflict use_column
declare
  _jobs uuid[];
  _attempts text[];
begin
  perform 1 from work_item where id = any(_items) order by id for no key update;
  with settled as (
    update work_item w set state = 'settled'
      from unnest(_items, _leases) as a(item, number)
      where w.id = a.item and w.lease = a.number and w.state = 'claimed'
      returning w.job, w.attempt
  )
  select array_agg(job), array_agg(job || ':' || attempt) into _jobs, _attempts from settled;
  if _jobs is not null then perform boss_complete('${queueName}', _jobs, null, _attempts); end if;
end $$`

/** Puts back what a taker was given by one ask and nobody saw. */
const release = (names: Names): string => `
create or replace function ${names.schema}.release(_taker text, _items text[], _leases bigint[]) returns void
${definer(names)} as $$
#variable_conflict use_column
declare
  _jobs uuid[];
  _attempts text[];
begin
  perform 1 from work_item where id = any(_items) order by id for no key update;
  with released as (
    update work_item w set state = 'queued'
      from unnest(_items, _leases) as a(item, number)
      where w.id = a.item and w.lease = a.number and w.state = 'claimed' and w.taker = _taker
      returning w.job, w.attempt
  )
  select array_agg(job), array_agg(job || ':' || attempt) into _jobs, _attempts from released;
  if _jobs is not null then
    perform boss_fail('${queueName}', _jobs, null, _attempts);
    perform pg_notify('${names.channel}', ' work');
  end if;
end $$`

/** Their claims, locks and presences are free at once. */
const endWorkers = (names: Names): string => `
create or replace function ${names.schema}.end_workers(_workers text[]) returns void ${definer(names)} as $$
#variable_conflict use_column
begin
  delete from hold where worker = any(_workers);
  delete from worker where name = any(_workers) or deadline < ${names.queueSchema}.job_now() - interval '1 hour';
  perform pg_notify('${names.channel}', ' work');
end $$`
