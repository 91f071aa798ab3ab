-- Returns the number of the mails to an address and of the push messages to the user with this address, from the newest runs, and
-- a page of these messages, newest first. Push messages to all users have no address.
-- $1 business uuid, $2 address uuid (its hash), $3 no_record uuid,
-- $4 from timestamptz or null, $5 end timestamptz or null (exclusive), $6 most_runs bigint, $7 limit bigint, $8 offset bigint,
-- $9 email text
-- -> total bigint, data json
with pushes as materialized (
  select v.workflow_id, v.version, s.number
  from users u
  join workflow_versions v on v.business_id = $1::uuid and strpos(v.definition::text, u.guid::text) > 0
  cross join lateral (
    select 1 as number, v.definition -> 'action' as step where v.definition -> 'action' -> 'steps' is null
    union all
    select n.number, n.step from numbered_steps(v.definition -> 'action' -> 'steps') n) s
  where u.business_id = $1::uuid and lower(u.email) = lower($9) and s.step ->> 'type' = 'send_push'
    and s.step ->> 'recipient' = u.guid::text
), wanted as materialized (
  select distinct workflow_id from pushes
),
\ir workflow_runs.inc
, mails as materialized (
  select run, step, at from mail_addresses
  where business_id = $1::uuid and address = $2::uuid and ($5::timestamptz is null or at < $5::timestamptz)
  order by run desc limit $6::bigint
), found as materialized (
  select r.*, m.step as only_step
  from mails m
  cross join lateral (
    select guid, created_at, action, status, code, finished_at, replay_of, steps from runs
    where business_id = $1::uuid and guid = m.run and created_at >= m.at - interval '1 day' and created_at < m.at + interval '1 day'
    union all
    select guid, created_at, action, status, code, null, replay_of, steps from run_queue
    where business_id = $1::uuid and guid = m.run) r
  union all
  select r.guid, r.created_at, r.action, r.status, r.code, r.finished_at, r.replay_of, r.steps, p.number
  from workflow_runs w
  cross join lateral (
    select * from runs where business_id = $1::uuid and guid = w.guid and created_at = w.created_at) r
  join pushes p on p.workflow_id = r.workflow_id and p.version = r.workflow_version
  union all
  (select q.guid, q.created_at, q.action, q.status, q.code, null, q.replay_of, q.steps, p.number
   from pushes p
   join run_queue q on q.business_id = $1::uuid and q.workflow_id = p.workflow_id and q.workflow_version = p.version
   order by q.guid desc limit $6::bigint)
),
\ir entries.inc
,
\ir shown.inc
\ir result.inc
