-- Carriers: the built-in catalogue, the carriers of businesses, and the accounts that businesses have with carriers.

-- The business of the carriers that every business can use: the nil guid.
create function catalogue_business() returns uuid language sql immutable parallel safe
return '00000000-0000-0000-0000-000000000000'::uuid;

create table carriers (
  business_id     uuid not null,  -- catalogue_business() for the built-in catalogue
  guid            uuid not null default gen_random_uuid(),
  name            text not null check (name <> ''),
  code            text not null check (code <> ''),
  type            text not null check (type in ('courier', 'freight', 'lastmile')),
  service_levels  jsonb not null default '[]' check (jsonb_typeof(service_levels) = 'array'),
  features        jsonb not null default '[]' check (jsonb_typeof(features) = 'array'),
  created_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),  -- orders and shipments still show its name
  primary key (business_id, guid),
  constraint carriers_times_in_range check (created_at >= timestamptz '0001-01-01 00:00:00+00'
                                            and created_at < timestamptz '10000-01-01 00:00:00+00')
);
create unique index carriers_code_unique on carriers (business_id, code) where deleted_at is null;

-- The built-in carriers. A guid is the UUIDv5 of 'waybill:carrier:CODE' in the URL namespace (RFC 9562 section 6.6), so
-- it is the same in every installation.
insert into carriers (business_id, guid, code, name, type, service_levels, features)
select catalogue_business(), guid, code, name, type, service_levels, features
from (values
  (uuid '709d8833-763b-58b3-b614-34958406740f', 'dhl_express', 'DHL Express', 'courier',
   jsonb '[{"code": "standard", "name": "Economy Select", "estimatedDays": "2-5"},
           {"code": "express", "name": "Express Worldwide", "estimatedDays": "1-3"}]',
   jsonb '["tracking", "labels", "pickup", "international", "customs", "insurance"]'),
  (uuid '42860af1-b5ab-55a7-81ea-866e6b879512', 'dhl_parcel', 'DHL Parcel', 'courier',
   jsonb '[{"code": "standard", "name": "Paket", "estimatedDays": "1-2"},
           {"code": "express", "name": "Express Easy", "estimatedDays": "1"}]',
   jsonb '["tracking", "labels", "pickup", "international", "parcel_lockers"]'),
  (uuid '4c189f30-55a9-5138-a7e1-1bad51b49245', 'ups', 'UPS', 'courier',
   jsonb '[{"code": "standard", "name": "Standard", "estimatedDays": "1-5"},
           {"code": "express", "name": "Express Saver", "estimatedDays": "1-2"}]',
   jsonb '["tracking", "labels", "pickup", "international", "customs", "insurance", "access_points"]'),
  (uuid 'de1dbe78-85b5-54f7-ba8c-41f41bf8ca74', 'fedex', 'FedEx', 'courier',
   jsonb '[{"code": "standard", "name": "Ground", "estimatedDays": "1-5"},
           {"code": "express", "name": "Priority Overnight", "estimatedDays": "1"},
           {"code": "sameday", "name": "SameDay", "estimatedDays": "0"}]',
   jsonb '["tracking", "labels", "pickup", "international", "customs", "insurance"]'),
  (uuid 'f89acdf5-99ab-5628-b08f-1164bba06974', 'usps', 'United States Postal Service', 'courier',
   jsonb '[{"code": "standard", "name": "Ground Advantage", "estimatedDays": "2-5"},
           {"code": "express", "name": "Priority Mail Express", "estimatedDays": "1-2"}]',
   jsonb '["tracking", "labels", "pickup", "international", "insurance", "po_boxes"]'),
  (uuid '99c034ec-6289-5b0d-984a-ef84ceb25034', 'royal_mail', 'Royal Mail', 'courier',
   jsonb '[{"code": "standard", "name": "Tracked 48", "estimatedDays": "2-3"},
           {"code": "express", "name": "Special Delivery Guaranteed", "estimatedDays": "1"}]',
   jsonb '["tracking", "labels", "pickup", "international", "insurance"]'),
  (uuid '1640a05b-ce9f-5aac-9d37-7d7dd9a3159e', 'dpd', 'DPD', 'courier',
   jsonb '[{"code": "standard", "name": "Classic", "estimatedDays": "1-3"},
           {"code": "express", "name": "Express 12:00", "estimatedDays": "1"}]',
   jsonb '["tracking", "labels", "pickup", "international", "parcel_shops", "delivery_windows"]'),
  (uuid '57cea20a-7d5f-542f-b34f-b87d08f4cc9a', 'gls', 'GLS', 'courier',
   jsonb '[{"code": "standard", "name": "BusinessParcel", "estimatedDays": "1-3"},
           {"code": "express", "name": "ExpressParcel", "estimatedDays": "1"}]',
   jsonb '["tracking", "labels", "pickup", "international", "parcel_shops"]'),
  (uuid '102ccba7-8810-5e89-bf05-335de349ce51', 'evri', 'Evri', 'courier',
   jsonb '[{"code": "standard", "name": "Standard", "estimatedDays": "2-4"},
           {"code": "express", "name": "Next Day", "estimatedDays": "1"}]',
   jsonb '["tracking", "labels", "pickup", "parcel_shops"]'),
  (uuid '162dee27-5e35-5184-86c8-7018e09e7cc5', 'postnl', 'PostNL', 'courier',
   jsonb '[{"code": "standard", "name": "Pakket", "estimatedDays": "1-2"},
           {"code": "sameday", "name": "Same-day delivery", "estimatedDays": "0"}]',
   jsonb '["tracking", "labels", "pickup", "international", "parcel_shops"]'),
  (uuid 'a2fbcbfb-8b34-53a4-980b-695caf815a10', 'colissimo', 'Colissimo', 'courier',
   jsonb '[{"code": "standard", "name": "Domicile", "estimatedDays": "2-3"}]',
   jsonb '["tracking", "labels", "international", "parcel_shops", "insurance"]'),
  (uuid '2b9334e7-c6f7-5b12-bea2-5bf4668d7caf', 'chronopost', 'Chronopost', 'courier',
   jsonb '[{"code": "standard", "name": "Chrono Relais", "estimatedDays": "1-2"},
           {"code": "express", "name": "Chrono 13", "estimatedDays": "1"}]',
   jsonb '["tracking", "labels", "pickup", "international", "parcel_shops"]'),
  (uuid 'ca52c5a3-f398-57aa-b0c0-6f85efbd8507', 'canada_post', 'Canada Post', 'courier',
   jsonb '[{"code": "standard", "name": "Expedited Parcel", "estimatedDays": "2-8"},
           {"code": "express", "name": "Priority", "estimatedDays": "1-2"}]',
   jsonb '["tracking", "labels", "pickup", "international", "insurance"]'),
  (uuid 'b1928486-2e13-56ac-9450-ac820bedf85e', 'australia_post', 'Australia Post', 'courier',
   jsonb '[{"code": "standard", "name": "Parcel Post", "estimatedDays": "2-6"},
           {"code": "express", "name": "Express Post", "estimatedDays": "1-2"}]',
   jsonb '["tracking", "labels", "pickup", "international", "parcel_lockers"]'),
  (uuid 'd94a91e0-dbc3-53c8-b7ba-84f12c0e9bd4', 'aramex', 'Aramex', 'courier',
   jsonb '[{"code": "standard", "name": "Economy", "estimatedDays": "3-7"},
           {"code": "express", "name": "Priority", "estimatedDays": "1-4"}]',
   jsonb '["tracking", "labels", "pickup", "international", "customs"]'),
  (uuid 'fbc48245-ed64-5077-b666-f5dd098b5a35', 'db_schenker', 'DB Schenker', 'freight',
   jsonb '[{"code": "standard", "name": "System", "estimatedDays": "2-5"},
           {"code": "express", "name": "System Premium", "estimatedDays": "1-2"}]',
   jsonb '["tracking", "pickup", "international", "pallets", "customs"]'),
  (uuid '4dd96d57-b025-52fc-9d3e-666205cf09d7', 'dsv', 'DSV', 'freight',
   jsonb '[{"code": "standard", "name": "Road Groupage", "estimatedDays": "2-6"},
           {"code": "express", "name": "XPress", "estimatedDays": "1-3"}]',
   jsonb '["tracking", "pickup", "international", "pallets", "customs"]'),
  (uuid '01652e35-8d08-51eb-9499-ada8c80c407d', 'kuehne_nagel', 'Kuehne+Nagel', 'freight',
   jsonb '[{"code": "standard", "name": "KN EuroLink", "estimatedDays": "2-6"},
           {"code": "express", "name": "KN EuroLink Fix", "estimatedDays": "1-3"}]',
   jsonb '["tracking", "pickup", "international", "pallets", "customs"]'),
  (uuid '92a71b6e-eceb-5c3c-9361-abcad0fcc44c', 'xpo', 'XPO', 'freight',
   jsonb '[{"code": "standard", "name": "LTL", "estimatedDays": "2-5"},
           {"code": "express", "name": "Rapid Remote", "estimatedDays": "1-3"}]',
   jsonb '["tracking", "pickup", "pallets"]'),
  (uuid '8e018dc2-5266-5002-8025-ae4c5a172618', 'uber_direct', 'Uber Direct', 'lastmile',
   jsonb '[{"code": "standard", "name": "Scheduled", "estimatedDays": "0-1"},
           {"code": "sameday", "name": "On demand", "estimatedDays": "0"}]',
   jsonb '["tracking", "pickup", "delivery_windows", "proof_of_delivery"]'),
  (uuid '995c6d35-68bc-5519-aa5c-81b9d3af69b0', 'doordash_drive', 'DoorDash Drive', 'lastmile',
   jsonb '[{"code": "standard", "name": "Scheduled", "estimatedDays": "0-1"},
           {"code": "sameday", "name": "On demand", "estimatedDays": "0"}]',
   jsonb '["tracking", "pickup", "delivery_windows", "proof_of_delivery"]'),
  (uuid '82c58828-7ee7-5e0f-8069-14b8f42b7cab', 'stuart', 'Stuart', 'lastmile',
   jsonb '[{"code": "standard", "name": "Scheduled", "estimatedDays": "0-1"},
           {"code": "sameday", "name": "On demand", "estimatedDays": "0"}]',
   jsonb '["tracking", "pickup", "delivery_windows", "proof_of_delivery"]')
) c (guid, code, name, type, service_levels, features);

-- A business's account with a carrier. Credentials are sealed.
create table carrier_configurations (
  business_id            uuid not null references businesses,
  carrier_id             uuid not null,
  account_number         text not null check (account_number <> ''),
  default_service_level  text,
  test_mode              boolean not null,
  sealed_api_key         bytea,
  sealed_api_secret      bytea,
  is_active              boolean not null default true,
  created_at             timestamptz(3) not null default now(),
  updated_at             timestamptz(3) not null default now(),
  primary key (business_id, carrier_id)
);
create trigger touch before update on carrier_configurations for each row execute function touch_updated_at();

create table carrier_contacts (
  business_id  uuid not null references businesses,
  guid         uuid not null default gen_random_uuid(),
  carrier_id   uuid not null,
  name         text not null check (name <> ''),
  email        text,
  phone        text,
  role         text,
  created_at   timestamptz(3) not null default now(),
  primary key (business_id, guid)
);
create index carrier_contacts_by_carrier on carrier_contacts (business_id, carrier_id);
create trigger limit_rows before insert on carrier_contacts for each row execute function limit_rows('true');
