-- Erases the reasons of failed imports that hold a word of a person.
-- $1 business uuid, $2 words text[]
with failures as (
  update import_failures set reason = 'Erased.' where business_id = $1 and holds_word(reason, $2::text[])
)
update integration_runs r
set errors = (select jsonb_agg(case when holds_word(e.error ->> 'reason', $2::text[])
                                 then e.error || '{"reason": "Erased."}' else e.error end order by e.n)
              from jsonb_array_elements(r.errors) with ordinality e (error, n))
where r.business_id = $1 and r.errors <> '[]' and holds_word(r.errors::text, $2::text[])
