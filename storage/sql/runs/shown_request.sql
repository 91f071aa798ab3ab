-- Returns a run's request as the API shows it.
-- $1 business uuid, $2 type_of_action text, $3 request json, $4 body text
select shown_request($1::uuid, $2, $3::json, $4)
