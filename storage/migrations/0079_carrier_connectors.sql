-- Configured carriers have a connector: `manual`, or a gateway that speaks to the carrier.

-- api_url: the gateway's address; null for its own. service_codes: the gateway's codes of our service levels.
-- connection_status: what the last check found (ok, unchecked, failing); null for `manual`.
alter table carrier_configurations
  add column connector text not null default 'manual',
  add column api_url text,
  add column service_codes jsonb,
  add column label_format text,
  add column tracking_sync boolean not null default true,
  add column connection_status text,
  add column connection_error text,
  add column checked_at timestamptz;

-- The audit log has the new columns. A check of the connection is no change.
drop trigger audit on carrier_configurations;
create trigger audit after insert or delete or update of account_number, default_service_level, test_mode, is_active,
    sealed_api_key, sealed_api_secret, sealed_inbound_secret, connector, api_url, service_codes, label_format, tracking_sync
  on carrier_configurations for each row
  execute function record_audit('carrier', 'carrier_id', '', 'account_number=accountNumber',
    'default_service_level=defaultServiceLevel', 'test_mode=testMode', 'is_active=isActive', 'sealed_api_key!apiKey',
    'sealed_api_secret!apiSecret', 'sealed_inbound_secret!inboundSecret', 'connector=connector', 'api_url=apiUrl',
    'service_codes=serviceCodes', 'label_format=labelFormat', 'tracking_sync=trackingSync');
