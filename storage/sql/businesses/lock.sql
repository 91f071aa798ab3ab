-- Lets one at a time change who belongs to business $1. Records that refer to it can be written meanwhile.
select name from businesses where guid = $1::uuid for no key update
