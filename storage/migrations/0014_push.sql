-- Whom a push message of a business goes to: everybody, or the browsers of one user; of users who have left the business
-- none.
create function push_audience(business uuid, recipient uuid) returns setof push_subscriptions language sql stable as $$
  select s.* from push_subscriptions s
  where s.business_id = business and (recipient is null or s.user_id = recipient)
    and (s.user_id is null or exists (select from users u where u.guid = s.user_id and u.business_id = business)) $$;

-- What an action's plan is shown as: its request and body together, and of a push message what the subscribers see, with
-- how many there are now.
create function shown_request(business uuid, action text, request json, body text) returns json language sql stable as $$
  select case
    when action = 'send_push' then
      json_build_object('title', request -> 'title', 'body', body, 'url', request -> 'url', 'subscriptions',
                        (select count(*) from push_audience(business, nullif(request ->> 'subscriptions', 'all')::uuid)))
    when action = 'push_tracking' then (request::jsonb - 'destination')::json
    when action = 'webhook' then
      json_build_object('url', request -> 'url', 'headers', request -> 'headers', 'body', body)
    when body is null then request
    else (request::jsonb || jsonb_build_object('body', body))::json
  end $$;
