#include "storage/schema/released_migrations.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace waybill::storage {
namespace {

struct Replacement {
  std::string_view migration;
  std::string_view released;
  std::string_view runnable;
};

// PostgreSQL 15.20 refuses to add a column with a default to a table if the stored body of a function names a
// column of its row type; 15.18 did not. A body given as a text is parsed only when the function is called.
constexpr auto replacements = std::to_array<Replacement>({
    {"0019_recipients_and_sources",
     "create function store_name(i integrations) returns text language sql immutable\n"
     "return regexp_replace(i.store_url, '^[a-z]+://', '');",
     "create function store_name(i integrations) returns text language sql immutable\n"
     "as $$ select regexp_replace(i.store_url, '^[a-z]+://', '') $$;"},
    // The partitions of a new database, which no other session can make.
    {"0016_partitions",
     "if not pg_try_advisory_xact_lock(hashtext('waybill.make_partitions')) or to_regclass(part) is not null "
     "then",
     "if to_regclass(part) is not null then"},
    {"0016_partitions", "perform pg_advisory_xact_lock(hashtext('waybill.make_partitions'));", ""},
    // Any user of the database can have the lock forever. If another process makes a partition, the locks of
    // the tables conflict, and the migration is tried again.
    {"0050_fewer_analyses", "select pg_advisory_xact_lock(hashtext('waybill.make_partitions'));",
     "select pg_try_advisory_xact_lock(hashtext('waybill.make_partitions'));"},
});

struct Locks {
  std::string_view migration;
  std::string_view statements;
};

// The order of locks: writers lock records before events, workers lock events before runs and counts. A
// user's change locks the business, then its workflows. Readers lock a view before its tables.
constexpr auto locks = std::to_array<Locks>({
    {"0025_cheaper_changes", "lock table orders in access exclusive mode"},
    {"0026_audit_log",
     "lock table businesses, workflows, templates, api_tokens, users, carriers, carrier_configurations, "
     "integrations, business_defaults, product_settings in share row exclusive mode"},
    {"0027_suspended_businesses", "lock table businesses, mail_outbox in access exclusive mode"},
    {"0029_watching_workflows", "lock table events, workflow_versions, run_counts in access exclusive mode"},
    {"0032_steps_of_runs", "lock table all_runs, runs, run_queue in access exclusive mode"},
    {"0033_alerts_and_run_sums",
     "lock table workflows in share row exclusive mode; "
     "lock table business_defaults in access exclusive mode"},
    {"0034_windows_limits_rates",
     "lock table businesses in share row exclusive mode; lock table workflows in access exclusive mode"},
    {"0035_timers", "lock table workflows in access exclusive mode"},
    {"0037_first_connections", "lock table integrations in access exclusive mode"},
    {"0038_schedules", "lock table businesses in share row exclusive mode"},
    {"0039_steps_and_versions", "lock table workflow_versions in access exclusive mode"},
    {"0040_timers_by_business", "lock table timers in share mode"},
    {"0042_records_that_left", "lock table events in share mode"},
    {"0043_depth_of_timers", "lock table timers in access exclusive mode"},
    {"0045_postponed_runs", "lock table run_queue in access exclusive mode"},
    {"0046_passing_over_locked_rows", "lock table limited_runs in access exclusive mode"},
    {"0047_customer_erasures", "lock table customers in share row exclusive mode"},
    {"0048_cheaper_updates",
     "lock table orders, shipments in access exclusive mode; "
     "lock table worker_beats, worker_words in share row exclusive mode"},
    {"0051_settings_of_processes", "lock table processes in access exclusive mode"},
    {"0052_items_that_stay", "lock table orders in share row exclusive mode"},
    {"0053_entity_types_of_events", "lock table events in access exclusive mode"},
    {"0054_cheaper_events", "lock table orders in share row exclusive mode"},
    {"0056_order_of_ended_runs", "lock table run_queue in access exclusive mode"},
    {"0057_live_tokens", "lock table api_tokens in share row exclusive mode"},
    {"0058_locks_of_the_service", "lock table workers, processes in access exclusive mode"},
    {"0059_limits_of_written_values",
     "lock table orders, shipments, customers, products, shipment_traces, carriers, integrations in share "
     "row exclusive mode"},
    {"0061_timeouts_of_schedules", "lock table schedules in access exclusive mode"},
    {"0062_mails_by_business", "lock table mail_outbox in share mode"},
    {"0063_unlocated_starts", "lock table dispatches in access exclusive mode"},
    {"0064_renamed_businesses", "lock table businesses in access exclusive mode"},
    {"0065_audited_reads", "lock table audit_log in access exclusive mode"},
    {"0071_contacts_of_erasures", "lock table customer_erasures in access exclusive mode"},
    {"0073_silent_workflows", "lock table workflow_firings, alerts in access exclusive mode"},
    {"0074_working_days", "lock table businesses, workflows, timer_scans in access exclusive mode"},
    {"0076_watching_runs",
     "lock table workflows in access exclusive mode; lock table workflow_versions in share mode; "
     "lock table run_queue in access exclusive mode"},
    {"0077_digests", "lock table workflows in share row exclusive mode"},
    {"0078_silent_sources", "lock table workflow_watches, integrations, alerts in access exclusive mode"},
    {"0079_carrier_connectors", "lock table carrier_configurations in access exclusive mode"},
    {"0080_purchases", "lock table shipments in access exclusive mode"},
    {"0081_audited_purchases", "lock table purchases in share row exclusive mode"},
    {"0082_tracking_pulls",
     "lock table shipments in share row exclusive mode; "
     "lock table carrier_configurations in access exclusive mode"},
    {"0083_customs", "lock table products, shipments in access exclusive mode"},
    {"0084_label_alerts",
     "lock table orders, purchases in share row exclusive mode; lock table alerts in access exclusive mode"},
    {"0085_runs_awaiting_labels", "lock table run_queue in access exclusive mode"},
    {"0086_stored_forms", "lock table workflows in share row exclusive mode"},
    {"0088_announced_deliveries", "lock table shipments, purchases in access exclusive mode"},
    {"0090_console_sessions",
     "lock table businesses in share row exclusive mode; lock table user_sessions in access exclusive mode"},
    {"0093_destination_reports", "lock table processes in access exclusive mode"},
    {"0096_user_preferences", "lock table businesses, users in share row exclusive mode"},
    {"0101_claims_of_runs", "lock table run_queue in access exclusive mode"},
    {"0110_resumed_businesses", "lock table businesses in access exclusive mode"},
    {"0111_skus_of_left_out_products", "lock table imported_products in access exclusive mode"},
    {"0112_last_ticks", "lock table schedules in access exclusive mode"},
    {"0113_variants_of_imported_products", "lock table imported_products in access exclusive mode"},
    {"0114_failures_of_products", "lock table integrations in access exclusive mode"},
    {"0121_addresses_of_routes", "lock table dispatches, dispatch_stops in access exclusive mode"},
    {"0122_guids_of_invitations", "lock table users in access exclusive mode"},
    {"0129_erased_attempts", "lock table run_queue in access exclusive mode"},
    {"0133_pieces_of_shipments", "lock table shipments in access exclusive mode"},
    {"0135_scans_of_gateways", "lock table shipment_traces in access exclusive mode"},
    {"0141_skus_that_products_wait_for", "lock table imported_products in access exclusive mode"},
    {"0143_replica_identity",
     "lock table events, own_data_changes, record_counts, run_counts, status_counts in access exclusive "
     "mode"},
    {"0155_times_of_battery_levels", "lock table tracking_devices in access exclusive mode"},
    {"0156_owners_of_skus", "lock table imported_products in access exclusive mode"},
});

}  // namespace

std::string runnable_text(const Statement& migration) {
  std::string text(migration.text);
  for (const auto& [name, released, runnable] : replacements) {
    if (name != migration.name) continue;
    const auto at = text.find(released);
    if (at == std::string::npos) throw std::logic_error("no such text in " + std::string(name));
    text.replace(at, released.size(), runnable);
  }
  return text;
}

std::string_view locks_of(std::string_view migration) {
  const auto row = std::ranges::find(locks, migration, &Locks::migration);
  return row == locks.end() ? std::string_view() : row->statements;
}

}  // namespace waybill::storage
