-- The audit log also says who erased or exported the data of a person, exported a business, or read secret headers.

alter table audit_log drop constraint audit_log_action_check;
alter table audit_log add constraint audit_log_action_check
  check (action in ('created', 'updated', 'deleted', 'erased', 'exported', 'read'));
