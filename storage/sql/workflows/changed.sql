-- Workflows changed since epoch $1, deleted ones too, with their business's name and valid secrets, newest first.
select w.business_id, w.guid, w.name, w.entity_type, w.trigger_code, w.action::text, w.conditions::text, w.is_active,
       w.ordered, w.delay, w.paused_reason is not null as paused, w.version, w.active_since, w.deleted_at is not null as deleted,
       w.epoch, b.name as business_name,
       (select string_agg(encode(s.sealed, 'hex'), ',' order by s.created_at desc)
        from (select sealed, created_at from workflow_secrets s
              where s.business_id = w.business_id and s.workflow_id = w.guid
                and (s.expires_at is null or s.expires_at > clock_timestamp())
              order by created_at desc limit 2) s) as secrets
from workflows w join businesses b on b.guid = w.business_id
where w.epoch > $1::bigint
order by w.epoch
