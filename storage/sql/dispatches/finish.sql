-- Ends a held dispatch: $1 business, $2 guid, $3 completed or cancelled.
select end_dispatch($1, $2, $3)
