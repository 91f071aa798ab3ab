-- Notes how far a locked scan has come, or that it is over.
-- $1 business uuid, $2 workflow uuid, $3 position uuid, $4 is_over boolean
with over as (
  delete from timer_scans where business_id = $1::uuid and workflow_id = $2::uuid and $4::boolean
)
update timer_scans set position = $3::uuid where business_id = $1::uuid and workflow_id = $2::uuid and not $4::boolean
