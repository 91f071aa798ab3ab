-- True if a workflow was on at a past time by its switches. is_on is its present state. If the newest switch is dated in the future
-- by a wrong clock, or is not that to the present state, the times of the switches are not used, and it counts as off. was_on calls
-- it.
create function was_switched_on(business uuid, workflow uuid, is_on boolean, moment timestamptz) returns boolean
language sql stable as $$
  select coalesce((select s.is_active from workflow_switches s
                   where s.business_id = $1 and s.workflow_id = $2 and s.at <= $4
                   order by s.at desc limit 1), false)
     and exists (select from (select s.is_active, s.at from workflow_switches s
                              where s.business_id = $1 and s.workflow_id = $2
                              order by s.at desc limit 1) newest
                 where newest.is_active = $3 and newest.at <= statement_timestamp() + interval '1 second') $$;

-- True if a workflow was on at a past time. is_on is its present state, active_since the time from which it is on without a break.
-- A switch on that a wrong clock has dated in the future counts as made before all times. Without a subselect of its own, the
-- function becomes a part of the statement that calls it, and the switches are read only if these values do not tell.
create function was_on(business uuid, workflow uuid, is_on boolean, active_since timestamptz, moment timestamptz) returns boolean
language sql stable as $$
  select case when $3 and ($4 <= $5 or $4 > statement_timestamp() + interval '1 second') then true
              else was_switched_on($1, $2, $3, $5) end $$;
