import { definer, type Names } from "./names.ts"

/** Locks and presences, each held by a process for as long as that answers. */
export const holdFunctions = (names: Names): ReadonlyArray<string> => [
  `create or replace function ${names.schema}.take_hold(
    _kind text, _name text, _worker text, _token text, _since text
  ) returns jsonb ${definer(names)} as $$
  #variable_conflict use_column
  declare
    _holder jsonb;
  begin
    while _holder is null loop
      insert into hold as h (kind, name, worker, token, since) values (_kind, _name, _worker, _token, _since)
        on conflict (kind, name) do update set worker = _worker, token = _token, since = _since
        where h.token = _token or not exists (
        select from worker w where w.name = h.worker and w.deadline >= ${names.queueSchema}.job_now());
      exit when found;
      -- null: it was dropped just now
      _holder := hold_of(_kind, _name);
    end loop;
    return _holder;
  end $$`,
  `create or replace function ${names.schema}.hold_of(_kind text, _name text) returns jsonb ${definer(names)} as $$
  #variable_conflict use_column
  begin
    return (
      select jsonb_build_object('pid', w.pid, 'host', w.host, 'since', h.since)
      from hold h join worker w on w.name = h.worker
      where h.kind = _kind and h.name = _name and w.deadline >= ${names.queueSchema}.job_now());
  end $$`,
  `create or replace function ${names.schema}.drop_hold(_kind text, _name text, _token text) returns void
  ${definer(names)} as $$
  #variable_conflict use_column
  begin
    delete from hold where kind = _kind and name = _name and token = _token;
    if found then perform pg_notify('${names.channel}', ' hold'); end if;
  end $$`
]
