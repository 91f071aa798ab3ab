-- Deletes the counts of firings older than 8 days; readers use at most 7 days.
delete from workflow_firings where hour < now() - interval '8 days'
