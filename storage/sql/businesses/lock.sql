-- Returns a business's name and locks its row, so that its members change in one transaction at a time.
-- Records that refer to the business can still be written.
-- $1 business uuid
-- -> name text
select name from businesses where guid = $1::uuid for no key update
