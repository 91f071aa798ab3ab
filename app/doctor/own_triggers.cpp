#include "app/doctor/own_triggers.hpp"

namespace waybill::app {
namespace {

using Names = std::vector<std::string_view>;

/// Each of the tables has each of the triggers.
struct TriggerGroup {
  std::string_view loss;
  Names tables;
  Names triggers;
};

std::vector<TriggerGroup> trigger_groups() {
  const Names records{"orders", "shipments", "customers", "products"};
  return {
      {"changes are not events", records, {"event_insert", "event_update", "event_delete"}},
      {"all records can be removed without events", records, {"refuse_truncate"}},
      {"guid and business of a record can change", records, {"refuse_new_key"}},
      {"totals of lists that filter by own data are wrong",
       records,
       {"own_data_insert", "own_data_update", "own_data_delete"}},
      {"values may be longer than those of requests",
       {"orders", "shipments", "customers", "products", "carriers", "integrations", "shipment_traces"},
       {"limits_insert", "limits_update"}},
      {"values may be longer than those of requests",
       {"shipments"},
       {"limits_of_customs_insert", "limits_of_customs_update"}},
      {"a business may have more rows than the limit",
       {"api_tokens", "carrier_contacts", "drivers", "tracking_devices", "vehicles"},
       {"limit_rows"}},
      {"the time of the last change is wrong",
       {"customers", "products", "shipments", "carrier_configurations", "drivers", "vehicles", "dispatches"},
       {"touch"}},
      {"the time of the last change is wrong", {"orders"}, {"keep_times"}},
      {"items of orders do not get their form", {"orders"}, {"canonical_items", "canonical_changed_items"}},
      {"dates of shipments are not derived", {"shipments"}, {"set_dates_insert", "set_dates_update"}},
      {"histories of shipments lack changes of the status", {"shipments"}, {"trace_insert", "trace_update"}},
      {"new shipments have no tracking page", {"shipments"}, {"tracking_tokens"}},
      {"dispatches do not follow their shipments",
       {"shipments"},
       {"dispatch_after_insert", "dispatch_after_update", "dispatch_after_delete"}},
      {"products are not found by their SKUs",
       {"products"},
       {"skus_after_insert", "skus_after_update", "skus_after_delete"}},
      {"alerts about labels are wrong", {"orders"}, {"count_cancelled_order"}},
      {"alerts about labels are wrong", {"purchases"}, {"count_purchase", "count_stray"}},
      {"the audit log lacks changes",
       {"api_tokens", "business_defaults", "businesses", "carrier_configurations", "carriers",
        "console_sessions", "integrations", "product_settings", "templates", "users"},
       {"audit"}},
      {"the audit log lacks changes", {"purchases", "workflows"}, {"audit_insert", "audit_change"}},
      {"workers do not learn of changes",
       {"businesses"},
       {"advance_epoch", "advance_epoch_of_calendar", "advance_epoch_of_suspension", "advance_epoch_of_zone",
        "touch_workflows"}},
      {"workers do not learn of changes", {"business_defaults"}, {"advance_epoch", "advance_epoch_of_new"}},
      {"workers do not learn of changes", {"templates", "workflows"}, {"advance_epoch"}},
      {"timers and schedules keep the old calendar",
       {"businesses"},
       {"adapt_to_calendar", "note_changed_zone"}},
      {"new businesses lack their managed workflows", {"businesses"}, {"add_managed_workflows"}},
      {"the time of a suspension counts as silence", {"businesses"}, {"note_resumption"}},
      {"tracking numbers do not go to stores as set", {"integrations"}, {"switch_push_tracking"}},
      {"timers and schedules do not follow changes", {"workflows"}, {"plan_timer"}},
      {"digests of earlier versions stay open", {"workflows"}, {"close_digests"}},
      {"alerts and silence of workflows are judged wrongly",
       {"workflows"},
       {"count_pause", "record_switch", "restart_judged_since"}},
      {"idle workers are not woken", {"worker_beats", "worker_words"}, {"store_idle_until"}},
  };
}

}  // namespace

std::vector<OwnTrigger> own_triggers() {
  std::vector<OwnTrigger> all;
  for (const TriggerGroup& group : trigger_groups()) {
    for (const std::string_view table : group.tables) {
      for (const std::string_view name : group.triggers)
        all.push_back({.table = table, .name = name, .loss = group.loss});
    }
  }
  return all;
}

}  // namespace waybill::app
