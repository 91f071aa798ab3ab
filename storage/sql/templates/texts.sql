-- Returns a business's name, the texts of templates and of those they include, by code, the business's branding of mails,
-- the offsets of its time zone and its switches of notifications.
-- runs: long
-- $1 business uuid, $2 codes text[]
-- -> name text, texts jsonb, sender_name text or null, reply_to text or null, zone_offsets text or null,
-- email_enabled boolean, push_enabled boolean
select b.name, template_texts(b.guid, $2::text[]) as texts, b.sender_name, b.reply_to,
       zone_offsets(b.timezone) as zone_offsets, coalesce(d.email_enabled, true) as email_enabled,
       coalesce(d.push_enabled, true) as push_enabled
from businesses b
left join business_defaults d on d.business_id = b.guid
where b.guid = $1::uuid
