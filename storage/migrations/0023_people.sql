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
-- Deleted records of a customer, for erasing a person.
create index orders_deleted_by_customer on orders (business_id, customer_id) where deleted_at is not null;
create index shipments_deleted_by_customer on shipments (business_id, customer_id) where deleted_at is not null;
create index shipments_deleted_by_order on shipments (business_id, order_id) where deleted_at is not null;

-- Erasing a person. The words of a person are lower-case texts such as the name, the e-mail address and the phone number.

create function holds_word(value text, words text[]) returns boolean language sql immutable
return exists (select from unnest(words) w (word) where strpos(lower(value), w.word) > 0);

-- Own data without the values that hold a word.
create function tags_without(tags jsonb, words text[]) returns jsonb language sql immutable
return (select jsonb_agg(e.tag order by e.n) from jsonb_array_elements(tags) with ordinality e (tag, n)
        where not holds_word(e.tag #>> '{}', words));
create function metadata_without(metadata jsonb, words text[]) returns jsonb language sql immutable
return (select jsonb_object_agg(e.key, e.value) from jsonb_each(metadata) e
        where not holds_word(e.value #>> '{}', words));

-- Records without the data of a person; null for null. Country, state and city of a delivery stay.
create function erased(c customers) returns customers language plpgsql immutable as $$
begin
  if c.guid is null then return null; end if;
  c.name := 'Erased';
  c.email := null;
  c.phone := null;
  c.company := null;
  c.street := null;
  c.city := null;
  c.state := null;
  c.postal_code := null;
  c.country := null;
  c.contacts := '[]';
  c.reference_list := '[]';
  c.external_reference := null;
  c.tags := null;
  c.metadata := null;
  return c;
end $$;

create function erased(o orders, words text[]) returns orders language plpgsql immutable as $$
begin
  if o.guid is null then return null; end if;
  words := words || array(select lower(d) from unnest(array[o.delivery_name, o.delivery_email, o.delivery_phone]) d
                          where length(d) > 2);
  o.delivery_name := null;
  o.delivery_company := null;
  o.delivery_phone := null;
  o.delivery_email := null;
  o.delivery_street := null;
  o.delivery_postal_code := null;
  o.notes := null;
  if holds_word(o.external_reference, words) then o.external_reference := null; end if;
  if o.tags is not null then o.tags := tags_without(o.tags, words); end if;
  if o.metadata is not null then o.metadata := metadata_without(o.metadata, words); end if;
  return o;
end $$;

create function erased(s shipments, words text[]) returns shipments language plpgsql immutable as $$
begin
  if s.guid is null then return null; end if;
  if holds_word(s.sender_name, words) then  -- a parcel that the person sends back
    s.sender_name := 'Erased';
    s.sender_company := null;
    s.sender_phone := null;
    s.sender_street := null;
    s.sender_postal_code := null;
  end if;
  words := words || array(select lower(d) from unnest(array[s.recipient_name, s.recipient_email, s.recipient_phone]) d
                          where length(d) > 2 and d <> 'Erased');
  s.recipient_name := 'Erased';
  s.recipient_company := null;
  s.recipient_phone := null;
  s.recipient_email := null;
  s.recipient_street := null;
  s.recipient_postal_code := null;
  s.instructions := null;
  if holds_word(s.external_reference, words) then s.external_reference := null; end if;
  if s.tags is not null then s.tags := tags_without(s.tags, words); end if;
  if s.metadata is not null then s.metadata := metadata_without(s.metadata, words); end if;
  return s;
end $$;

-- The attempts of a run without what destinations answered.
create function erased_tries(tries text) returns text language sql immutable
return (select coalesce(jsonb_agg(t.try || '{"response": null, "error": null}' order by t.n), '[]')::text
        from jsonb_array_elements(tries::jsonb) with ordinality t (try, n));
