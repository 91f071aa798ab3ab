-- How many runs of business $1 there are; more conditions are put in at the mark.
select count(*) from all_runs where business_id = $1::uuid/*where*/
