-- Ends a locked dispatch.
-- $1 business, $2 dispatch, $3 final status (completed or cancelled)
select end_dispatch($1, $2, $3)
