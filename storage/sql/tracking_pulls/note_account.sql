-- Notes how the calls with an account go: its successive failures, a pause, and an error if the gateway refuses its credentials.
-- Nothing if the number of failures is no longer the one that was read: the account was configured again.
-- $1 business uuid, $2 carrier uuid, $3 failures_before int, $4 failures int, $5 pause interval or null,
-- $6 error text or null
update carrier_configurations g
set tracking_failures = $4::integer,
    tracking_paused_until = statement_timestamp() + $5::interval,
    connection_status = case when $6::text is not null then 'failing'
                             when $4::integer = 0 and g.connection_status = 'failing' then 'ok' else g.connection_status end,
    connection_error = case when $6::text is not null then $6::text
                            when $4::integer = 0 and g.connection_status = 'failing' then null else g.connection_error end,
    checked_at = case when $6::text is not null or ($4::integer = 0 and g.connection_status = 'failing')
                        then statement_timestamp() else g.checked_at end
where g.business_id = $1::uuid and g.carrier_id = $2::uuid and g.tracking_failures = $3::integer
