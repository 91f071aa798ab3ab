# The rate of digests: 100 000 orders change in one transaction, and their events come together in 10 000 digests of ten, each of
# which has one webhook.
digests=10000
of_digest=10

switch_off_workflows
start_receiver
start_waybill up
workflow=$(api_call POST /api/workflows/configure "$(jq -n --argjson max $of_digest --arg url "http://127.0.0.1:$receiver/hook" \
  '{name: "digests", entityType: "Order", triggers: ["order_updated"], digest: {by: "notes", every: "P1D", max: $max},
    action: {type: "webhook", recipient: $url, template: "{{count}} {{#items}}{{orderNumber}} {{/items}}", contentType: "text/plain"}}')" |
  jq -r .data.guid)
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  sql -c 'vacuum analyze orders, pending_events, digests, digest_items' -c checkpoint
  started=$(moment_of 'select true')
  sql -c "with numbered as (select guid, row_number() over (order by guid) as n from orders where business_id = '$business'
                            limit $((digests * of_digest)))
          update orders o set notes = 'd$repetition ' || n.n % $digests from numbered n
          where o.business_id = '$business' and o.guid = n.guid"
  finished=$(moment_of "select (select count(*) from runs where workflow_id = '$workflow' and status = 'succeeded') >= $((digests * (repetition + 1)))")
  record digests "$(per_second $digests "$started" "$finished")"
  record events "$(per_second $((digests * of_digest)) "$started" "$finished")"
done
[ "$(sql -c "select count(*) from digest_events where workflow_id = '$workflow'")" = $((digests * of_digest * repetitions)) ] ||
  die 'an event is in no digest'
switch_off_workflows
stop_waybill
stop "$receiver_pid"
