-- Names the author of the changes of this session.
-- $1 cause text
select from set_config('waybill.cause', $1, false)
