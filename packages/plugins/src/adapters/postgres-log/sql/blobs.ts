import { definer, type Names } from "./names.ts"

/** Blobs by the SHA-256 of their bytes, large ones in parts; one is there once all its parts are. */
export const blobs = (names: Names): ReadonlyArray<string> => [
  `create table ${names.schema}.blob (
    sha256 text collate "C" not null,
    part int not null,
    parts int not null,
    data bytea not null,
    constraint blob_pk primary key (sha256, part)
  )`,
  `create function ${names.schema}.put_blob(named text, numbered int, of_parts int, bytes bytea) returns void
    ${definer(names)} as $$
    begin
      -- of one in parts the reader finds out
      if of_parts = 1 and encode(sha256(bytes), 'hex') <> named then
        raise exception 'these are not the bytes of blob %', named using errcode = 'data_exception';
      end if;
      insert into blob (sha256, part, parts, data) values (named, numbered, of_parts, bytes) on conflict do nothing;
    end $$`,
  `create function ${names.schema}.get_blob(named text, numbered int) returns table (of_parts int, bytes bytea)
    ${definer(names)} as $$
    begin
      return query select b.parts, b.data from blob b where b.sha256 = named and b.part = numbered;
    end $$`,
  `revoke all on function ${names.schema}.put_blob(text, int, int, bytea) from public`,
  `revoke all on function ${names.schema}.get_blob(text, int) from public`
]
