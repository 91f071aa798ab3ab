-- Returns what a business uses. Requests are those of the current minute, with all its tokens and cookies; mails are the recipients
-- outside the business since midnight (UTC).
-- $1 business uuid
-- -> name text, plan text, status text, orders bigint, shipments bigint, customers bigint, products bigint,
-- workflows bigint, integrations bigint, users bigint, tokens bigint, runs_finished bigint, runs_open bigint,
-- runs_held bigint, waiting_events bigint, mails_today bigint, requests_this_minute bigint
select b.name, b.plan,
       case when b.deleting_at is not null then 'deleting' when b.suspended_at is not null then 'suspended'
            else 'active' end as status,
       c.orders, c.shipments, c.customers, c.products,
       (select count(*) from workflows w where w.business_id = b.guid and w.deleted_at is null) as workflows,
       (select count(*) from integrations i where i.business_id = b.guid and i.removed_at is null) as integrations,
       (select count(*) from users u where u.business_id = b.guid) as users,
       (select count(*) from api_tokens t where t.business_id = b.guid and t.revoked_at is null) as tokens,
       (select coalesce(sum(r.runs), 0)::bigint from run_counts r where r.business_id = b.guid and r.unit = 'day')
         as runs_finished,
       q.open as runs_open, q.held as runs_held,
       (select count(*) from suspended_events e where e.business_id = b.guid) as waiting_events,
       (select coalesce(sum(m.recipients), 0)::bigint from business_mails m
        where m.business_id = b.guid and m.day = (now() at time zone 'UTC')::date) as mails_today,
       (select coalesce(sum(w.used), 0)::bigint from quota_windows w
        where w.window_start = floor(extract(epoch from now()) / 60)
          and w.token_id in (select t.guid from api_tokens t where t.business_id = b.guid
                             union all
                             select s.guid from user_sessions s join users u on u.guid = s.user_id
                             where u.business_id = b.guid
                             union all
                             select u.guid from users u where u.business_id = b.guid
                             union all
                             select s.guid from console_sessions s where s.business_id = b.guid)) as requests_this_minute
from businesses b
cross join lateral (
  select coalesce(sum(delta) filter (where entity_type = 0), 0)::bigint as orders,
         coalesce(sum(delta) filter (where entity_type = 1), 0)::bigint as shipments,
         coalesce(sum(delta) filter (where entity_type = 2), 0)::bigint as customers,
         coalesce(sum(delta) filter (where entity_type = 3), 0)::bigint as products
  from record_counts where business_id = b.guid
) c
cross join lateral (
  select count(*) filter (where status <> 'held') as open, count(*) filter (where status = 'held') as held
  from run_queue where business_id = b.guid
) q
where b.guid = $1::uuid
