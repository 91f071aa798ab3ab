-- Ends a locked dispatch.
-- $1 business uuid, $2 dispatch uuid, $3 final_status text (completed or cancelled)
select end_dispatch($1, $2, $3)
