-- The look of messages and tracking pages, and what erasing and purging need.

alter table businesses
  add logo_url text check (logo_url like 'https://%'),
  add brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
  add sender_name text,
  add reply_to text,
  add epoch bigint not null default 0;
create index businesses_by_epoch on businesses (epoch);

-- Mails show the business's name and branding: a change advances the workflows' epoch like a change of a workflow.
create trigger advance_epoch before update on businesses for each row
  when ((old.name, old.sender_name, old.reply_to) is distinct from (new.name, new.sender_name, new.reply_to))
  execute function advance_workflow_epoch();

-- Runs that send mails or push messages depend on the business's switches: a change of one advances the epoch, too.
alter table business_defaults add epoch bigint not null default 0;
create index business_defaults_by_epoch on business_defaults (epoch);
create trigger advance_epoch before update on business_defaults for each row
  when ((old.email_enabled, old.push_enabled) is distinct from (new.email_enabled, new.push_enabled))
  execute function advance_workflow_epoch();
create trigger advance_epoch_of_new before insert on business_defaults for each row
  when (not (new.email_enabled and new.push_enabled))
  execute function advance_workflow_epoch();

-- Soft-deleted records by age: they are purged after a time.
create index orders_deleted on orders (deleted_at) where deleted_at is not null;
create index shipments_deleted on shipments (deleted_at) where deleted_at is not null;
create index customers_deleted on customers (deleted_at) where deleted_at is not null;
create index products_deleted on products (deleted_at) where deleted_at is not null;
