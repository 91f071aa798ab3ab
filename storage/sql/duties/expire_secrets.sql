delete from workflow_secrets where expires_at < now()
