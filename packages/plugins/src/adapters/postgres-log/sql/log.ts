import { genesisHash } from "@proofline/kernel"
import { byIndex, definer, type Names, queueName } from "./names.ts"

/** A year: whoever works on a job says so, and pg-boss shall not take it away while that is so. */
const yearSeconds = 365 * 24 * 3_600

/** For so long pg-boss keeps a job that is done. That its item was settled stays in `work_item`. */
const keptSeconds = 60

/** How the functions of the log name what they are asked for and answer: the other side is `append.ts`. */
export const logFunctions = (names: Names): ReadonlyArray<string> => [
  lost(names),
  append(names),
  adopt(names),
  depart(names)
]

/** Who writes to the log is alone with it until the end of its transaction: positions become visible in their order. */
const lock = ({ schema }: Names): string => `perform pg_advisory_xact_lock(hashtextextended('${schema}.log', 0));`

const putSummaries = (rows: string): string => `
  insert into run_summary (run_id, started_at, version, summary) ${rows}
    on conflict (run_id) do update
      set started_at = excluded.started_at, version = excluded.version, summary = excluded.summary;`

/** What of the events that a process knows is gone; null: nothing. `_known` is `{position, streams: [{s, v, h}]}`. */
const lost = ({ schema }: Names): string => `
create or replace function ${schema}.lost(_known jsonb) returns text
language plpgsql stable set search_path = ${schema}, pg_temp ${byIndex} as $$
declare
  _end bigint := (select position from log_head);
  _gone record;
begin
  if _end is null or _end < (_known->>'position')::bigint then
    return format('it ends at position %s, and there was an event at position %s', coalesce(_end, 0), _known->>'position');
  end if;
  select k.s, k.v into _gone
    from jsonb_to_recordset(_known->'streams') as k(s text, v int, h text)
    left join event e on e.stream = k.s and e.version = k.v
    where e.hash is distinct from k.h
      and not exists (select from away a where a.stream = k.s and a.kind = 'archived' and a.version >= k.v)
    limit 1;
  if found then
    return format('event %s of %s, which was in it, is gone', _gone.v, _gone.s);
  end if;
  return null;
end $$`

/**
 * Decides and writes many appends in their order; `first` is the first of them on the same stream. Those that cancel work
 * come last, so that no lease that was looked at is cancelled before its report is written. Where `_sender` is null the caller
 * tells others, later.
 */
const append = (names: Names): string => `
create or replace function ${names.schema}.append(
  _requests jsonb, _events jsonb, _items jsonb, _named text[], _known jsonb, _sender text
) returns jsonb ${definer(names)} as $$
#variable_conflict use_column
declare
  _lost text;
  _id text;
  _head log_head;
  _now timestamptz;
  _at bigint;
  _first bigint;
  _passed boolean[];
  -- of each stream, where it stands: under the number of its first request
  _version int[];
  _prev text[];
  _command text[];
  _firsts int[];
  _ends text[];
  _answers jsonb[];
  _hashes text[] := '{}';
  _written event[] := '{}';
  _request record;
  _event record;
  _hash text;
  _work boolean := false;
  _added int := 0;
  _settles boolean := false;
  _sums boolean := false;
  _count int;
  _jobs uuid[];
  _attempts text[];
begin
  ${lock(names)}
  -- the same here, because a function with settings of its own takes as long as the look; it tells what is gone, if anything is
  if not exists (select from log_head where position >= (_known->>'position')::bigint) or exists (
    select from jsonb_to_recordset(_known->'streams') as k(s text, v int, h text)
      left join event e on e.stream = k.s and e.version = k.v
      where e.hash is distinct from k.h
  ) then
    _lost := lost(_known);
    if _lost is not null then return jsonb_build_object('lost', _lost); end if;
  end if;
  foreach _id in array _named loop
    perform 1 from work_item where id = _id for no key update;
  end loop;
  for _request in
    select q.*, coalesce(e.version, 0) as version, coalesce(e.hash, '${genesisHash}') as hash, e.command_id as last,
      q.command is not null and exists
        (select from event c where c.stream || ' ' || c.command_id = q.stream || ' ' || q.command) as repeated,
      q.item is null or coalesce(
        (select w.lease = q.lease and w.state = 'claimed' from work_item w where w.id = q.item), false) as owned,
      (select to_jsonb(a) - 'stream' from away a where a.stream = q.stream) as away
    from rows from (jsonb_to_recordset(_requests)
      as (stream text, expected int, command text, item text, lease bigint, behind text, count int, first int,
        settles boolean, summary text))
      with ordinality as q(stream, expected, command, item, lease, behind, count, first, settles, summary, n)
    left join lateral
      (select version, hash, command_id from event where stream = q.stream order by version desc limit 1) e on true
    order by q.n
  loop
    _firsts[_request.n] := _request.first;
    _ends[_request.n] := _request.hash;
    if _request.first = _request.n then
      _version[_request.n] := _request.version;
      _prev[_request.n] := _request.hash;
      _command[_request.n] := _request.last;
    end if;
    _passed[_request.n] := not _request.repeated and _request.away is null and _request.owned
      and _version[_request.first] = _request.expected
      and (_request.behind is null or _request.behind is not distinct from _command[_request.first]);
    _answers[_request.n] := case
      when _request.repeated then jsonb_build_object('repeated', (
        select jsonb_agg(jsonb_build_array(position, stream, version, event_type, schema_version, timestamp, visibility,
          content, command_id, causation_id, correlation_id, prev_hash, hash, origin) order by version)
        from event where stream || ' ' || command_id = _request.stream || ' ' || _request.command))
      when not _request.owned then '"lease"'
      when _request.away is not null then jsonb_build_object('away', _request.away)
      when not _passed[_request.n] then to_jsonb(_version[_request.first])
      else 'true' end;
    if _passed[_request.n] then
      _added := _added + _request.count;
      _settles := _settles or _request.settles;
      _sums := _sums or _request.summary is not null;
    end if;
    if _passed[_request.n] and _request.count > 0 then
      _version[_request.first] := _version[_request.first] + _request.count;
      _command[_request.first] := _request.command;
    end if;
  end loop;
  if not (true = any(_passed)) then return jsonb_build_object('answers', _answers, 'ends', _ends); end if;

  update log_head set position = position + _added returning * into _head;
  _first := _head.position - _added;
  _at := _first;
  for _event in
    select * from jsonb_to_recordset(_events) as e(n int, stream text, version int, type text, schema int, at text,
      visibility text, content text, command text, cause text, correlation text, a text, b text, c text)
  loop
    continue when not _passed[_event.n];
    _at := _at + 1;
    _hash := encode(sha256(convert_to(
      _event.a || _event.content || _event.b || _at || ',"prev_hash":"' || _prev[_firsts[_event.n]] || _event.c, 'UTF8')), 'hex');
    _written := _written || row(_at, _event.stream, _event.version, _event.type, _event.schema, _event.at,
      _event.visibility, _event.content, _event.command, _event.cause, _event.correlation,
      _prev[_firsts[_event.n]], _hash, null)::event;
    _prev[_firsts[_event.n]] := _hash;
    _hashes := _hashes || _hash;
  end loop;
  insert into event select * from unnest(_written);

  if jsonb_array_length(_items) > 0 then
    _now := greatest(${names.queueSchema}.job_now(), _head.dispatched + interval '1 microsecond');
    insert into label_set (labels)
      select distinct array(select jsonb_array_elements_text(i.labels))
      from jsonb_to_recordset(_items) as i(n int, labels jsonb) where _passed[i.n]
      on conflict do nothing;
    with dispatched as (
      insert into work_item (id, run, job, item, label_set, priority, dispatched, due)
        select i.id, i.run, md5(i.id)::uuid, i.item, s.id, i.priority, _now + i.k * interval '1 microsecond',
          ${names.queueSchema}.job_now() + i.delay * interval '1 millisecond'
        from rows from (jsonb_to_recordset(_items)
          as (n int, id text, run text, item text, labels jsonb, priority int, delay float8)) with ordinality
          as i(n, id, run, item, labels, priority, delay, k)
        join label_set s on s.labels = array(select jsonb_array_elements_text(i.labels))
        where _passed[i.n] order by i.k
        on conflict (id) do nothing
        returning job, label_set, priority, dispatched, due
    )
    insert into ${names.queueSchema}.job (id, name, priority, data, retry_limit, retry_delay, retry_backoff, expire_seconds,
        deletion_seconds, group_id, start_after, created_on, keep_until, policy, heartbeat_seconds)
      select job, '${queueName}', priority, '{}', 1000000, 0, false, ${yearSeconds}, ${keptSeconds}, label_set::text, due, dispatched,
        due + interval '100 years', 'standard', 10
      from dispatched;
    get diagnostics _count = row_count;
    _work := _count > 0;
    update log_head set dispatched = _now + jsonb_array_length(_items) * interval '1 microsecond';
  end if;
  if cardinality(_named) > 0 then
    update work_item w set state = 'cancelled'
      from rows from (jsonb_to_recordset(_requests) as (cancel jsonb)) with ordinality as q(cancel, n),
        jsonb_array_elements_text(q.cancel) as c(id)
      where _passed[q.n] and w.id = c.id and w.state in ('queued', 'claimed');
    get diagnostics _count = row_count;
    _work := _work or _count > 0;
  end if;
  if _settles then
    with settled as (
      update work_item w set state = 'settled'
        from rows from (jsonb_to_recordset(_requests) as (item text, lease bigint, settles boolean)) with ordinality
          as q(item, lease, settles, n)
        where _passed[q.n] and q.settles and w.id = q.item and w.lease = q.lease and w.state || '' = 'claimed'
        returning w.job, w.job || ':' || w.attempt as attempt
    )
    select coalesce(array_agg(job), '{}'), coalesce(array_agg(attempt), '{}') into _jobs, _attempts from settled;
    if cardinality(_jobs) > 0 then perform boss_complete('${queueName}', _jobs, null, _attempts); end if;
  end if;
  if _sums then
    ${putSummaries(`
    select distinct on (q.stream) q.stream, q.started_at, q.version, q.summary
    from rows from (jsonb_to_recordset(_requests)
      as (stream text, started_at text, version int, summary text)) with ordinality
      as q(stream, started_at, version, summary, n)
    where _passed[q.n] and q.summary is not null
    order by q.stream, q.n desc`)}
  end if;
  if _sender is not null then
    perform pg_notify('${names.channel}', _sender || case when _work then ' work' else ' events' end);
  end if;
  return jsonb_build_object('answers', _answers, 'ends', _ends, 'position', _first, 'hashes', _hashes);
end $$`

/** Adds events that were checked to continue their stream. Answers with the last position before; -1: a conflict. */
const adopt = (names: Names): string => `
create or replace function ${names.schema}.adopt(
  _stream text, _expected int, _events jsonb, _arriving jsonb, _summary jsonb, _sender text
) returns bigint ${definer(names)} as $$
#variable_conflict use_column
declare
  _at bigint;
begin
  ${lock(names)}
  if _expected <> coalesce((select version from event where stream = _stream order by version desc limit 1), 0) then
    return -1;
  end if;
  select position into _at from log_head for update;
  insert into event
    select _at + e.k, _stream, e.version, e.type, e.schema, e.at, e.visibility, e.content, e.command, e.cause,
      e.correlation, e.prev, e.hash, nullif(e.origin, _at + e.k)
    from rows from (jsonb_to_recordset(_events) as (version int, type text, schema int, at text, visibility text,
      content text, command text, cause text, correlation text, prev text, hash text, origin bigint)) with ordinality
      as e(version, type, schema, at, visibility, content, command, cause, correlation, prev, hash, origin, k);
  update log_head set position = position + jsonb_array_length(_events);
  if _summary is not null then
    ${putSummaries("values (_stream, _summary->>'started_at', (_summary->>'version')::int, _summary->>'summary')")}
  end if;
  if _arriving is null then
    delete from away where stream = _stream;
  else
    insert into away (stream, kind, place, at, version, hash)
      values (_stream, 'arriving', _arriving->>'place', _arriving->>'at', 0, '') on conflict do nothing;
  end if;
  perform pg_notify('${names.channel}', _sender || ' events');
  return _at;
end $$`

/** Answers with where the stream is then; null: it is not at the expected version. */
const depart = (names: Names): string => `
create or replace function ${names.schema}.depart(
  _stream text, _expected int, _kind text, _place text, _at text, _sender text
) returns jsonb ${definer(names)} as $$
#variable_conflict use_column
declare
  _last event;
  _away jsonb;
begin
  ${lock(names)}
  select * into _last from event where stream = _stream order by version desc limit 1;
  if not found or _last.version <> _expected then return null; end if;
  insert into away (stream, kind, place, at, version, hash)
    values (_stream, _kind, _place, _at, _last.version, _last.hash)
    on conflict (stream) do update set kind = excluded.kind, place = excluded.place, at = excluded.at,
      version = excluded.version, hash = excluded.hash
    returning to_jsonb(away) - 'stream' into _away;
  perform 1 from work_item where run = _stream order by id for no key update;
  update work_item set state = 'cancelled' where run = _stream and state in ('queued', 'claimed');
  if _kind = 'archived' then
    delete from ${names.queueSchema}.job j using work_item w
      where w.run = _stream and j.name = '${queueName}' and j.id = w.job;
    delete from work_item where run = _stream;
    delete from event where stream = _stream;
  end if;
  perform pg_notify('${names.channel}', _sender || ' work');
  return _away;
end $$`
