-- Workflows with several triggers, and with steps.

-- True if a workflow's triggers, as stored in trigger_code, include a trigger. The form is CODE or `2:CODE`; for a list of
-- triggers `any:CODE,CODE`, or `any:order_*` for all of an entity type.
create function meets_trigger(stored text, code text) returns boolean language sql immutable as $$
  select stored = code or stored = '2:' || code
         or (starts_with(stored, 'any:') and (code = any (string_to_array(substr(stored, 5), ','))
                                              or right(stored, 1) = '*' and starts_with(code, rtrim(substr(stored, 5), '*')))) $$;

-- Also shows the method of a webhook, unless it is POST.
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
    when body is null then request
    else (request::jsonb || jsonb_build_object('body', body))::json
  end $$;

-- The tags of a record without those removed and with those added, each once without regard to case, in its first spelling.
-- Null if there are none.
create function changed_tags(tags jsonb, added text[], removed text[]) returns jsonb language sql immutable as $$
  select jsonb_agg(t.tag order by t.place)
  from (select distinct on (lower(a.tag)) a.tag, a.place
        from (select k.tag, k.place from jsonb_array_elements_text(coalesce(tags, '[]')) with ordinality k (tag, place)
              where lower(k.tag) <> all (select lower(r.tag) from unnest(removed) r (tag))
              union all
              select n.tag, 1000000 + n.place from unnest(added) with ordinality n (tag, place)) a
        order by lower(a.tag), a.place) t $$;
