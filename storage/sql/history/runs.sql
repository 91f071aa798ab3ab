-- Returns the existing runs of a list with status, code, number of attempts and steps.
-- $1 business uuid, $2 runs uuid[]
-- -> guid uuid, status text, code text or null, attempts int, steps text (JSON)
select guid, status, code, attempts, shown_steps(action, status, code, error, finished_at, tries, steps)::text as steps from all_runs where business_id = $1::uuid and guid = any ($2::uuid[])
