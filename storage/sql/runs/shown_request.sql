-- Returns a run's request as the API shows it.
-- $1 business, $2 type of the action, $3 request, $4 body
select shown_request($1::uuid, $2, $3::json, $4)
