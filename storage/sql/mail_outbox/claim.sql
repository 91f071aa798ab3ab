-- Claims due mails for two minutes and returns them, without those of suspended businesses: one of each business at most. The
-- businesses that have used no time come first, in the order of their mails, then the others. The mails without a business
-- count as those of one. Businesses are found by walking the index.
-- $1 limit bigint, $2 users uuid[] (businesses that have lately used time, the one with the least first),
-- $3 busy uuid[] (businesses without a turn)
-- -> guid uuid, business uuid, sealed bytea, attempts int, is_expired boolean
with recursive owners (owner) as (
  (select coalesce(business_id, '00000000-0000-0000-0000-000000000000'::uuid) from mail_outbox
   order by coalesce(business_id, '00000000-0000-0000-0000-000000000000'::uuid) limit 1)
  union all
  select (select coalesce(m.business_id, '00000000-0000-0000-0000-000000000000'::uuid) from mail_outbox m
          where coalesce(m.business_id, '00000000-0000-0000-0000-000000000000'::uuid) > o.owner
          order by coalesce(m.business_id, '00000000-0000-0000-0000-000000000000'::uuid) limit 1)
  from owners o where o.owner is not null
), turns as materialized (
  select o.owner, d.due_at
  from owners o,
       lateral (select m.due_at from mail_outbox m
                where coalesce(m.business_id, '00000000-0000-0000-0000-000000000000'::uuid) = o.owner and m.due_at <= now()
                order by m.due_at limit 1) d
  where o.owner <> all ($3::uuid[])
    and not exists (select from businesses b where b.guid = o.owner and b.suspended_at is not null)
), due as materialized (
  select f.guid
  from (select owner from turns order by coalesce(array_position($2::uuid[], owner), 0), due_at) t,
       lateral (select m.guid from mail_outbox m
                where coalesce(m.business_id, '00000000-0000-0000-0000-000000000000'::uuid) = t.owner and m.due_at <= now()
                order by m.due_at limit 1 for update skip locked) f
  limit $1::bigint
)
update mail_outbox m set attempts = m.attempts + 1, due_at = now() + interval '2 minutes'
from due d
where m.guid = d.guid
returning m.guid, coalesce(m.business_id, '00000000-0000-0000-0000-000000000000'::uuid) as business, m.sealed, m.attempts,
          m.expires_at <= now() as is_expired
