-- Returns the position to which a reader of a business's events goes back if its last event is not stored: before
-- all events that the server wrote after it lost commits. These have larger ids than the events that the server
-- kept. Their times are not before that of the lost event, except for the difference between the clocks of two
-- servers and the time in which both accepted writes; an hour allows for both. If the event has only expired,
-- this is the reader's position or one before all events.
-- $1 business uuid, $2 position bigint, $3 at timestamptz (of the last event)
-- -> position bigint
select least($2::bigint,
             coalesce((select min(e.id) - 1 from events e
                       where e.business_id = $1::uuid and e.at >= $3::timestamptz - interval '1 hour'),
                      (select max(e.id) from events e where e.business_id = $1::uuid),
                      0)) as position
