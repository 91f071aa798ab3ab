-- Makes the business $1 wait to make another template until the transaction ends.
select from businesses where guid = $1::uuid for no key update
