-- Locks a schedule that is due, or whose next tick is to be computed, and that no other worker has locked. Returns it with
-- the state of its workflow. No row if there is none. Slow businesses and those that had their turn are left
-- out.
-- $1 passed_over uuid[]
-- -> business_id uuid, workflow_id uuid, plan int, next_at timestamptz or null, zone text, was_on boolean (at next_at),
-- on_again timestamptz or null (the next switch on after next_at), is_deleted boolean, version int, since timestamptz, now timestamptz,
-- timeouts int, epoch bigint
\ir state.inc
where s.check_at <= statement_timestamp() and s.business_id <> all ($1::uuid[])
order by s.check_at
limit 1
for update of s skip locked
