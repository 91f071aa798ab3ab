-- Erases the reasons in the next runs of imports that hold a word of a person. Returns the number of runs, at most a limit, and
-- the last of them.
-- $1 business uuid, $2 words text[], $3 after uuid, $4 limit bigint
-- -> imports bigint, last uuid
with page as materialized (
  select guid from integration_runs where business_id = $1 and guid > $3::uuid order by guid limit $4::bigint
), changed as (
  update integration_runs r
  set errors = (select jsonb_agg(case when holds_word(e.error ->> 'reason', $2::text[])
                                   then e.error || '{"reason": "Erased."}' else e.error end order by e.n)
                from jsonb_array_elements(r.errors) with ordinality e (error, n))
  from page p
  where r.business_id = $1 and r.guid = p.guid and r.errors <> '[]' and holds_word(r.errors::text, $2::text[])
)
select count(*) as imports, coalesce((select guid from page order by guid desc limit 1), $3::uuid) as last from page
