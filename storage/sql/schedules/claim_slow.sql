-- Locks a schedule that is due, or whose next tick is to be computed, and that no other worker has locked, of the first
-- business that has one. Returns it with the state of its workflow. No row if there is none.
-- $1 businesses uuid[] (in the order of their turns)
-- -> business_id uuid, workflow_id uuid, plan int, next_at timestamptz or null, zone text, was_on boolean (at next_at),
-- on_again timestamptz or null (the next switch on after next_at), is_deleted boolean, version int, since timestamptz, now timestamptz, timeouts int,
-- epoch bigint
\ir state.inc
join unnest($1::uuid[]) with ordinality o (business_id, place) on o.business_id = s.business_id
where s.check_at <= statement_timestamp()
order by o.place, s.check_at
limit 1
for update of s skip locked
