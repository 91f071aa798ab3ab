-- Pulls: the calls with which workers ask gateways for the scans of parcels. A worker adds the rows by a sweep every ten
-- minutes, and a gateway's call adds one at once. A trigger would need the same search for every written shipment, also for
-- those that no gateway tracks, and the first pull of a shipment is not due for hours.

-- All pulls of a business through one connector. One worker at a time has the lane, so that the limits of the gateway hold
-- for all workers, and no number is asked twice.
create table tracking_lanes (
  business_id  uuid not null,
  connector    text not null,
  look_at      timestamptz not null default now(),  -- the next turn
  is_hinted    boolean not null default false,      -- a gateway has called since the last turn began
  swept_at     timestamptz,                         -- null: its shipments have not been searched yet
  lease_owner  uuid,
  lease_until  timestamptz,
  primary key (business_id, connector),
  check ((lease_owner is null) = (lease_until is null))
) with (fillfactor = 50);
create index tracking_lanes_due on tracking_lanes (look_at);

-- A number of a shipment that is asked for: the shipment's own, or that of a further package. No foreign key: it would lock
-- each shipment that a sweep finds. A row without its shipment goes when it is due.
create table tracking_pulls (
  business_id  uuid not null,
  shipment_id  uuid not null,
  number       text not null,
  carrier_id   uuid not null,
  due_at       timestamptz not null,
  asked_at     timestamptz,                 -- the last call
  hinted_at    timestamptz,                 -- the last call of the gateway that no answer has followed yet
  failures     integer not null default 0,  -- calls without an answer since the last one with
  primary key (business_id, shipment_id, number)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index tracking_pulls_due on tracking_pulls (business_id, carrier_id, due_at);
create index tracking_pulls_hinted on tracking_pulls (business_id, carrier_id, due_at) where hinted_at is not null;

-- Parcels of which a scan has told that they come back to their sender.
create table tracking_returns (
  business_id  uuid not null,
  shipment_id  uuid not null,
  number       text not null,
  since        timestamptz not null,  -- the time of the first such scan
  primary key (business_id, shipment_id, number),
  foreign key (business_id, shipment_id) references shipments on delete cascade
);

-- Successive calls that failed, and the time before which workers make no other one. Not in the audit log.
alter table carrier_configurations
  add column tracking_failures integer not null default 0,
  add column tracking_paused_until timestamptz;
create index carrier_configurations_tracked on carrier_configurations (connector, business_id)
  where is_active and tracking_sync and connector <> 'manual';
