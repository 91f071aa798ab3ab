-- Deletes the row of a process that ends.
-- $1 process uuid
delete from processes where guid = $1::uuid
