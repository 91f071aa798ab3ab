-- Replaces the values that contain an e-mail address of a person, in the next entries of the audit log of workflows and
-- templates. Returns the number of entries, at most a limit, and the last of them.
-- $1 business uuid, $2 emails text[] (in lower case), $3 after uuid, $4 limit bigint
-- -> entries bigint, last uuid
with page as materialized (
  select guid from audit_log where business_id = $1 and guid > $3::uuid order by guid limit $4::bigint
), changed as (
  update audit_log a
  set changes = (select jsonb_object_agg(c.key, case when holds_word(c.value::text, $2::text[])
                                                     then '{"from": "Erased", "to": "Erased"}' else c.value end)
                 from jsonb_each(a.changes) c)
  from page p
  where a.business_id = $1 and a.guid = p.guid and a.entity_type in ('workflow', 'template')
    and holds_word(a.changes::text, $2::text[])
)
select count(*) as entries, coalesce((select guid from page order by guid desc limit 1), $3::uuid) as last from page
