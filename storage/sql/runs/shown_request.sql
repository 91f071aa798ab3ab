-- Returns a run's request as the API shows it.
-- runs: long
-- $1 business uuid, $2 action text, $3 request json, $4 body text or null
-- -> request json
select shown_request($1::uuid, $2, $3::json, $4) as request
