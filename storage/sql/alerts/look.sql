-- Returns whether the window of an alert is over, and whether a message is due: make_messages.sql and claim.sql, whose plans take
-- far longer than this statement, are run only then.
-- -> has_alerts boolean, has_messages boolean
select exists (select from alerts where due_at <= now()) as has_alerts,
       exists (select from alert_messages where due_at <= now()) as has_messages
