-- How many users business $1 has, with those who are invited.
select count(*) from users where business_id = $1::uuid
