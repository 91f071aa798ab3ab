-- Deletes the files of a business's jobs. A job that ends later was stopped before, and stores none.
-- $1 business uuid
with deleted as (
  delete from job_contents where business_id = $1::uuid and name like 'file/%'
)
update jobs set file_bytes = null, file_until = null where business_id = $1::uuid and file_until is not null
