-- Returns the milliseconds until the turn of a lane that no worker has; negative for a turn that has come, null without a lane.
-- $1 connectors text[]
-- -> wait_ms bigint or null
select (select ceil(extract(epoch from l.look_at - statement_timestamp()) * 1000)::bigint
        from tracking_lanes l
        join businesses o on o.guid = l.business_id and o.suspended_at is null
        where l.connector = any ($1::text[]) and (l.lease_until is null or l.lease_until <= statement_timestamp())
        order by l.look_at limit 1) as wait_ms
