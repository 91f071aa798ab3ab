-- The other customers that had a person among their contacts, until the erasure of the person is complete. After an
-- interruption neither their contacts nor their events show the person, but their runs can.
alter table customer_erasures add column contact_of uuid[] not null default '{}';
