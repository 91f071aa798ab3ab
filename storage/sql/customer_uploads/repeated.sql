-- Returns the first hundred lines of an upload whose e-mail address is already on an earlier line, each with
-- that line.
-- $1 business uuid, $2 upload uuid
-- -> line int, first_line int
select line, first_line
from (select u.line, min(u.line) over (partition by lower(u.email)) as first_line
      from customer_upload_parts p cross join unnest(p.lines, p.emails) u (line, email)
      where p.business_id = $1 and p.upload_id = $2 and u.email is not null) e
where line > first_line
order by line limit 100
