-- Draws numbers for new orders, which no other call draws. Waits for transactions that draw numbers of the business, and
-- makes others wait until its own transaction ends.
-- $1 business uuid, $2 wanted bigint
-- -> numbers text[]
select next_order_numbers($1, $2, '{}') as numbers
