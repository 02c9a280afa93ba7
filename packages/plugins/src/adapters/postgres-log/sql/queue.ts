import { claimSilenceMs, declinedMs } from "@proofline/kernel"
import { deadlineMs, definer, fenceMs, type Names, plannedAnew, queueName } from "./names.ts"

/** The statements of pg-boss on jobs of our queue, with their parameters as it numbers them. */
export interface BossStatements {
  /** `$1`: groups that are left out, `$2`: jobs at most. */
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
  decline(names),
  release(names),
  endWorkers(names)
]

const bossFunctions = ({ schema }: Names, { complete, fail, fetch }: BossStatements): ReadonlyArray<string> => [
  `create or replace function ${schema}.boss_fetch(text[], int) returns table (fetched_job uuid, fetched_attempt int)
  language plpgsql ${plannedAnew} as $$
  #variable_conflict use_column
  begin
    return query with fetched as (${fetch}) select id, "retryCount" from fetched;
  end $$`,
  ...Object.entries({ complete, fail }).map(
    ([name, text]) => `create or replace function ${schema}.boss_${name}(text, uuid[], jsonb, text[])
  returns table (settled_count bigint, settled_ids uuid[]) language plpgsql ${plannedAnew} as $$
  #variable_conflict use_column
  begin
    return query ${text};
  end $$`
  )
]

/**
 * A claim that may be handed out again; `_live` are the workers that nobody suspects, `_heard` those that were heard in time. Right
 * after an outage nobody could keep anything: who has a result then is about to hand it in.
 */
const silent = (i: string) => `(${i}.worker <> all(_live)
      or (${i}.kept_at < _now - interval '${claimSilenceMs} milliseconds' and (_suspects or ${i}.worker = any(_heard))))`

/**
 * `_workers` live; those in `_gone` do not, and what they hold is free. Answers whether work of somebody is silent.
 * `unbroken_since` tells since when somebody or other was always heard: a worker that is new takes it over.
 */
const beat = (names: Names): string => `
create or replace function ${names.schema}.beat(_workers jsonb, _gone text[]) returns boolean ${definer(names)} as $$
#variable_conflict use_column
declare
  _now timestamptz := ${names.queueSchema}.job_now();
  _heard timestamptz := _now - interval '${fenceMs} milliseconds';
begin
  insert into worker (name, host, pid, slots, labels, version, seen_at, deadline, unbroken_since)
    select w.name, w.host, w.pid, w.slots, array(select jsonb_array_elements_text(w.labels)), w.version,
      _now, _now + interval '${deadlineMs} milliseconds', coalesce(
        (select o.unbroken_since from worker o where o.name = w.name and o.seen_at >= _heard),
        (select min(o.unbroken_since) from worker o where o.seen_at >= _heard), _now)
    from jsonb_to_recordset(_workers) as w(name text, host text, pid int, slots int, labels jsonb, version text)
    on conflict (name) do update set slots = excluded.slots, labels = excluded.labels, seen_at = excluded.seen_at,
      deadline = excluded.deadline, unbroken_since = excluded.unbroken_since;
  if cardinality(_gone) > 0 then perform end_workers(_gone); end if;
  return exists (
    select from work_item i where i.state = 'claimed'
      and not exists (select from worker w where w.name = i.worker and w.deadline >= _now));
end $$`

/**
 * Gives the items that come first to a taker that has slots for them. What one `_ask` gave is given again when it is
 * asked a second time, because the answer was lost.
 */
export const claim = (names: Names): string => `
create or replace function ${names.schema}.claim(
  _worker jsonb, _taker text, _ask bigint, _repeated boolean, _slots int, _labels text[], _known jsonb
) returns jsonb ${definer(names)} as $$
#variable_conflict use_column
declare
  _now timestamptz := ${names.queueSchema}.job_now();
  _name text := _worker->>'name';
  _suspects boolean;
  _heard text[];
  _live text[];
  _ignored text[];
  _free int;
  _claims work_item[] := '{}';
  _fetched boolean;
  _silent boolean;
  _best work_item;
  _job record;
  _item work_item;
  _taken boolean := false;
  _changed boolean := false;
  _next timestamptz;
  _lost text;
begin
  perform beat(jsonb_build_array(_worker), '{}');
  if _repeated then
    _claims := array(select i from work_item i where i.state = 'claimed' and i.taker = _taker and i.ask = _ask);
  end if;
  -- not right after an outage, in which nobody could answer
  select unbroken_since <= _now - interval '${deadlineMs} milliseconds' into _suspects from worker where name = _name;
  select coalesce(array_agg(name) filter (where deadline >= _now), '{}'),
      coalesce(array_agg(name) filter (where deadline >= _now or not _suspects), '{}')
    into _heard, _live from worker;
  _free := _slots - (
    select count(*) from work_item i where i.state = 'claimed' and i.taker = _taker and not ${silent("i")});
  if _free > 0 then
    select coalesce(array_agg(id::text), '{}') into _ignored from label_set where not labels <@ _labels;
    _silent := exists (select from work_item i where i.state = 'claimed' and ${silent("i")});
  end if;
  while _free > 0 and not (_repeated and cardinality(_claims) > 0) loop
    if _silent then
      select * into _best from work_item i
        where i.state = 'claimed' and i.label_set::text <> all(_ignored) and ${silent("i")}
        order by i.priority desc, i.dispatched limit 1 for update skip locked;
      _silent := found;
      if _silent and not exists (
        select from ${names.queueSchema}.job j
        where j.name = '${queueName}' and j.state < 'active' and not j.blocked and j.start_after <= _now
          and j.group_id <> all(_ignored)
          and (j.priority > _best.priority or (j.priority = _best.priority and j.created_on < _best.dispatched))
      ) then
        perform boss_fail('${queueName}', array[_best.job], null, array[_best.job || ':' || _best.attempt]);
        _changed := true;
      end if;
    end if;
    _fetched := false;
    for _job in select * from boss_fetch(_ignored, case when _silent then 1 else _free end) loop
      _fetched := true;
      _changed := true;
      select * into _item from work_item where job = _job.fetched_job for update;
      if not found or _item.state in ('settled', 'cancelled') then
        perform boss_complete('${queueName}', array[_job.fetched_job], null,
          array[_job.fetched_job || ':' || _job.fetched_attempt]);
        continue;
      end if;
      -- pg-boss has put it back in an outage
      if _item.state = 'claimed' and not ${silent("_item")} then
        update work_item set attempt = _job.fetched_attempt where id = _item.id;
        continue;
      end if;
      _taken := _taken or _item.state = 'claimed';
      update work_item set state = 'claimed', lease = lease + 1, attempt = _job.fetched_attempt, worker = _name,
          taker = _taker, ask = _ask, claimed_at = _now, kept_at = _now
        where id = _item.id
        returning * into _item;
      _claims := _claims || _item;
      _free := _free - 1;
    end loop;
    exit when not _fetched;
  end loop;
  -- whoever lost a claim has a slot free now
  if _taken then perform pg_notify('${names.channel}', ' queue'); end if;
  if cardinality(_claims) = 0 then
    _lost := lost(_known);
    select min(due) into _next from work_item where state = 'queued' and due > _now;
    -- that a worker lives may be forgotten with the power: it says so again
    if not _changed then perform set_config('synchronous_commit', 'off', true); end if;
  end if;
  return jsonb_build_object('claims', (
      select coalesce(jsonb_agg(jsonb_build_object('item', item, 'lease', lease) order by priority desc, dispatched), '[]')
      from unnest(_claims)), 'next', extract(epoch from _next - _now) * 1000, 'lost', _lost);
end $$`

/**
 * Answers with the numbers, from 1, of those that are kept, also those that were claimed under a name that was given up: with its
 * lease a claim is of nobody else. What pg-boss has put back meanwhile is taken up again.
 */
export const keep = (names: Names): string => `
create or replace function ${names.schema}.keep(_worker text, _items text[], _leases bigint[]) returns int[]
${definer(names)} as $$
#variable_conflict use_column
declare
  _now timestamptz := ${names.queueSchema}.job_now();
  _kept int[] := '{}';
  _item work_item;
begin
  for _n in 1 .. cardinality(_items) loop
    update work_item set kept_at = _now, worker = _worker
      where id = _items[_n] and lease = _leases[_n] and state || '' = 'claimed'
      returning * into _item;
    continue when not found;
    _kept := _kept || _n;
    update ${names.queueSchema}.job set state = 'active', heartbeat_on = _now
      where name = '${queueName}' and id = _item.job and retry_count = _item.attempt and state in ('active', 'retry');
  end loop;
  return _kept;
end $$`

const settle = (names: Names): string => `
create or replace function ${names.schema}.settle(_items text[], _leases bigint[]) returns void ${definer(names)} as $$
#variable_conflict use_column
${ending("settled")}
  if cardinality(_jobs) > 0 then perform boss_complete('${queueName}', _jobs, null, _attempts); end if;
end $$`

/** Puts back, for later, what cannot be carried out where it was taken. */
const decline = (names: Names): string => `
create or replace function ${names.schema}.decline(_items text[], _leases bigint[]) returns void
${definer(names)} as $$
#variable_conflict use_column
${ending("queued", `${names.queueSchema}.job_now() + interval '${declinedMs} milliseconds'`)}
  if cardinality(_jobs) > 0 then
    perform boss_fail('${queueName}', _jobs, null, _attempts);
    update ${names.queueSchema}.job set start_after = _due where name = '${queueName}' and id = any(_jobs);
  end if;
end $$`

/** Puts back what a taker was given and nobody saw. */
const release = (names: Names): string => `
create or replace function ${names.schema}.release(_items text[], _leases bigint[]) returns void
${definer(names)} as $$
#variable_conflict use_column
${ending("queued")}
  if cardinality(_jobs) > 0 then
    perform boss_fail('${queueName}', _jobs, null, _attempts);
    perform pg_notify('${names.channel}', ' queue');
  end if;
end $$`

/** The jobs of claims that end so, with the attempts that they were claimed for. */
const ending = (state: "settled" | "queued", due = "null"): string => `
declare
  _due timestamptz := ${due};
  _jobs uuid[] := '{}';
  _attempts text[] := '{}';
  _item work_item;
begin
  for _n in 1 .. cardinality(_items) loop
    update work_item set state = '${state}', due = coalesce(_due, due)
      where id = _items[_n] and lease = _leases[_n] and state || '' = 'claimed'
      returning * into _item;
    continue when not found;
    _jobs := _jobs || _item.job;
    _attempts := _attempts || (_item.job || ':' || _item.attempt);
  end loop;`

/** Their claims, locks and presences are free at once. */
const endWorkers = (names: Names): string => `
create or replace function ${names.schema}.end_workers(_workers text[]) returns void ${definer(names)} as $$
#variable_conflict use_column
begin
  delete from hold where worker = any(_workers);
  delete from worker where name = any(_workers) or deadline < ${names.queueSchema}.job_now() - interval '1 hour';
  perform pg_notify('${names.channel}', ' queue');
end $$`
