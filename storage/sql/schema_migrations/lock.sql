-- Returns whether no other process of an earlier release migrates, and tells those of earlier releases that this one does.
-- Every user of the database can take the lock, so one held by a role without the rights of this one or of the owner of the
-- schema counts for nothing. The key is "waybill" in ASCII.
-- -> is_locked boolean
select case when pg_try_advisory_lock(33602696198581356) then true
            else not exists (
              select from pg_locks l join pg_stat_activity a on a.pid = l.pid
              where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
                and l.database = (select d.oid from pg_database d where d.datname = current_database())
                and ((l.classid::bigint << 32) | l.objid::bigint) = 33602696198581356
                and (pg_has_role(a.usesysid, current_user, 'member')
                     or pg_has_role(a.usesysid, (select n.nspowner from pg_namespace n where n.nspname = current_schema()), 'member')))
       end as is_locked
