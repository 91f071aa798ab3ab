-- Returns those of some templates, each as of a time, that have changed since: the definition of the version then, null for a
-- code without a template then. A version that is no longer stored is left out.
-- $1 runs uuid[], $2 businesses uuid[], $3 codes text[], $4 times timestamptz[]
-- -> run uuid, code text, definition text or null
select w.run, t.code, v.definition::text
from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[]) w (run, business_id, code, at)
join templates t on t.business_id = w.business_id and t.code = w.code and t.deleted_at is null and t.updated_at > w.at
left join lateral (select e.definition from template_versions e
                   where e.business_id = t.business_id and e.template_id = t.guid and e.created_at <= w.at
                   order by e.version desc limit 1) v on true
where t.created_at > w.at or v.definition is not null
