-- Deletes expired secrets and updates their workflows, so that workers that still sign with them read the
-- workflows again.
with gone as (delete from workflow_secrets where expires_at < now() returning business_id, workflow_id)
update workflows w set updated_at = now()
from (select distinct business_id, workflow_id from gone) g
where w.business_id = g.business_id and w.guid = g.workflow_id
