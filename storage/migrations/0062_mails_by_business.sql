-- Businesses take turns for the mail sender. The mails without a business are those of one owner.
create index mail_outbox_by_owner on mail_outbox (coalesce(business_id, '00000000-0000-0000-0000-000000000000'::uuid), due_at);
