-- Notes that calls with an account fail for a reason that lasts, or, without an error, that a call of a failing account has
-- succeeded, which also ends the pause of its pulls. Nothing if the account was checked or noted since it was read: the calls
-- may have had other credentials.
-- $1 business uuid, $2 carrier uuid, $3 checked_at timestamptz or null, $4 error text or null
update carrier_configurations g
set connection_status = case when $4::text is null then 'ok' else 'failing' end, connection_error = $4::text,
    checked_at = statement_timestamp(),
    tracking_failures = case when $4::text is null then 0 else g.tracking_failures end,
    tracking_paused_until = case when $4::text is not null then g.tracking_paused_until end
where g.business_id = $1::uuid and g.carrier_id = $2::uuid and g.connector <> 'manual'
  and g.checked_at is not distinct from $3::timestamptz
  and case when $4::text is null then g.connection_status = 'failing'
           else g.connection_status is distinct from 'failing' or g.connection_error is distinct from $4::text end
