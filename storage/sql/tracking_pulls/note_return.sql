-- Notes that a parcel comes back to its sender, by a scan of a time.
-- $1 business uuid, $2 shipment uuid, $3 number text, $4 since timestamptz
insert into tracking_returns as t (business_id, shipment_id, number, since)
values ($1::uuid, $2::uuid, $3::text, $4::timestamptz)
on conflict (business_id, shipment_id, number) do update set since = excluded.since where excluded.since <> t.since
