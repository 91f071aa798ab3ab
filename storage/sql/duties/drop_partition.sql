-- Drops a partition and returns whether it did.
-- $1 partition text
-- -> is_done boolean
select drop_partition($1) as is_done
