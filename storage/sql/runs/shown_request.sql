-- How a run's request $3 with its body $4, of an action of type $2 of business $1, is shown.
select shown_request($1::uuid, $2, $3::json, $4)
