-- Values of a webhook's own headers are shown to nobody, also those of definitions and runs that were stored before they
-- were sealed. The names that stay visible are those of actions/credentials.cpp.
create function hidden_headers(headers json) returns json language sql immutable as $$
  select coalesce(json_object_agg(h.key, case when lower(h.key) in ('accept', 'accept-language', 'content-language',
                                                                    'content-type', 'user-agent')
                                              then h.value else to_json('********'::text) end), '{}')
  from json_each(headers) h $$;

create or replace function shown_request(business uuid, action text, request json, body text)
returns json language sql stable as $$
  select case
    when action = 'send_push' then
      json_build_object('title', request -> 'title', 'body', body, 'url', request -> 'url', 'subscriptions',
                        (select count(*) from push_audience(business, nullif(request ->> 'subscriptions', 'all')::uuid)))
    when action = 'push_tracking' then (request::jsonb - 'destination')::json
    when action = 'webhook' then
      json_build_object('url', request -> 'url', 'headers', hidden_headers(request -> 'headers'), 'body', body)
    when body is null then request
    else (request::jsonb || jsonb_build_object('body', body))::json
  end $$;

-- A business that registered itself sends a limited number of mails a day until the operator gives it another plan. Null:
-- made by the operator, or before this was known.
alter table businesses add column registered_by_itself boolean;

-- Recipients of a business's mails who are not its users, by the day of UTC.
create table business_mails (
  business_id  uuid not null references businesses,
  day          date not null,
  recipients   integer not null,
  primary key (business_id, day)
) with (fillfactor = 50);
