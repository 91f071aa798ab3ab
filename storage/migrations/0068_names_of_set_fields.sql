-- The request of an update_record run has columns. It is shown with the names of the API.

create or replace function shown_request(business uuid, action text, request json, body text) returns json
language sql stable as $$
  select case
    when action = 'send_push' then
      json_build_object('title', request -> 'title', 'body', body, 'url', request -> 'url', 'subscriptions',
                        (select count(*) from push_audience(business, nullif(request ->> 'subscriptions', 'all')::uuid)))
    when action = 'push_tracking' then (request::jsonb - 'destination')::json
    when action = 'webhook' and request -> 'method' is not null then
      json_build_object('method', request -> 'method', 'url', request -> 'url',
                        'headers', hidden_headers(request -> 'headers'), 'body', body)
    when action = 'webhook' then
      json_build_object('url', request -> 'url', 'headers', hidden_headers(request -> 'headers'), 'body', body)
    when action = 'update_record' then
      (request::jsonb || jsonb_build_object('changes', coalesce((
         select jsonb_object_agg(case c.key when 'carrier_id' then 'carrierId' when 'service_level' then 'serviceLevel'
                                            when 'collection_date' then 'collectionDate'
                                            when 'external_reference' then 'externalReference'
                                            when 'estimated_delivery' then 'deliveryDate'
                                            when 'carrier_tracking_number' then 'carrierTrackingNumber'
                                            when 'carrier_tracking_url' then 'carrierTrackingUrl' else c.key end, c.value)
         from jsonb_each(request::jsonb -> 'changes') c), '{}')))::json
    when body is null then request
    else (request::jsonb || jsonb_build_object('body', body))::json
  end $$;
