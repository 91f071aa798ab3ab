-- Returns the workflows of some businesses that changed since an epoch, that may use a template changed since, or whose
-- business has changed its name, its time zone, its calendar, its branding or the switches of its notifications since, including
-- deleted ones, in order of epoch, each with these settings, the texts of its templates and its valid secrets.
-- $1 epoch bigint, $2 businesses uuid[] or null (all)
-- -> business_id uuid, guid uuid, name text, entity_type smallint, trigger_code text, action text,
-- conditions text, is_active boolean, ordered boolean, delay text or null, paused boolean, version int,
-- active_since timestamptz, deleted boolean, epoch bigint, business_name text, secrets text or null,
-- templates text or null, created_at timestamptz, previous_until timestamptz or null,
-- sealed_credentials text or null, sender_name text or null, reply_to text or null,
-- email_enabled boolean, push_enabled boolean, window text or null, limit text or null, rate text or null,
-- timer_plan int or null, timer_since timestamptz or null, workdays boolean,
-- cancel_on text or null, watches boolean (runs of a version may watch their record),
-- zone_offsets text or null (of the business's time zone, if templates may use them),
-- switches text or null (domain/workflows/switches.hpp; each changes the state)
with changed as (
  select c.business_id, c.guid, max(c.epoch) as epoch
  from (select w.business_id, w.guid, w.epoch from workflows w
        where w.epoch > $1::bigint and ($2::uuid[] is null or w.business_id = any ($2::uuid[]))
        union all
        select w.business_id, w.guid, t.epoch
        from (select business_id, max(epoch) as epoch from templates
              where epoch > $1::bigint and ($2::uuid[] is null or business_id = any ($2::uuid[])) group by business_id) t
        join workflows w on w.business_id = t.business_id and w.template_codes <> '{}' and w.deleted_at is null
        union all
        select w.business_id, w.guid, b.epoch
        from businesses b join workflows w on w.business_id = b.guid and w.deleted_at is null
        where b.epoch > $1::bigint and ($2::uuid[] is null or b.guid = any ($2::uuid[]))
        union all
        select w.business_id, w.guid, d.epoch
        from business_defaults d join workflows w on w.business_id = d.business_id and w.deleted_at is null
        where d.epoch > $1::bigint and ($2::uuid[] is null or d.business_id = any ($2::uuid[]))) c
  group by c.business_id, c.guid
), zones as materialized (  -- each zone once, because its offsets take milliseconds
  select z.timezone, zone_offsets(z.timezone) as offsets
  from (select distinct b.timezone
        from changed c
        join workflows w on w.business_id = c.business_id and w.guid = c.guid
        join businesses b on b.guid = c.business_id
        where w.template_codes <> '{}' or w.action::text like '%formatted%') z
)
select w.business_id, w.guid, w.name, w.entity_type, w.trigger_code, w.action::text, w.conditions::text, w.is_active,
       w.ordered, w.delay, w.paused_reason is not null as paused, w.version, w.active_since, w.deleted_at is not null as deleted,
       c.epoch, b.name as business_name,
       s.secrets,
       case when w.template_codes <> '{}' then template_texts(w.business_id, w.template_codes)::text end as templates,
       w.created_at, s.expires_at as previous_until, encode(w.sealed_credentials, 'hex') as sealed_credentials,
       b.sender_name, b.reply_to, coalesce(d.email_enabled, true) as email_enabled,
       coalesce(d.push_enabled, true) as push_enabled, w.time_window::text as window, w.run_limit::text as "limit",
       w.request_rate::text as rate, w.timer_plan, w.timer_since, w.workdays,
       w.cancel_on::text as cancel_on,
       exists (select from workflow_versions v where v.business_id = w.business_id and v.workflow_id = w.guid
                 and v.definition ->> 'trigger' like '5:%') as watches,
       case when w.template_codes <> '{}' or w.action::text like '%formatted%' then z.offsets end as zone_offsets,
       o.switches
from changed c
join workflows w on w.business_id = c.business_id and w.guid = c.guid
join businesses b on b.guid = w.business_id
left join business_defaults d on d.business_id = w.business_id
left join zones z on z.timezone = b.timezone
cross join lateral (
  select string_agg(encode(s.sealed, 'hex'), ',' order by s.created_at desc) as secrets, min(s.expires_at) as expires_at
  from (select sealed, created_at, expires_at from workflow_secrets s
        where s.business_id = w.business_id and s.workflow_id = w.guid
          and (s.expires_at is null or s.expires_at > clock_timestamp())
        order by created_at desc limit 2) s) s
cross join lateral (
  select string_agg((extract(epoch from o.at) * 1000000)::bigint || case when o.is_active then '+' else '-' end, ','
                    order by o.at) as switches
  from (select o.at, o.is_active, lag(o.is_active) over (order by o.at) as was_active
        from workflow_switches o
        where o.business_id = w.business_id and o.workflow_id = w.guid) o
  where o.is_active is distinct from o.was_active) o
order by c.epoch
