#include "storage/settings/workflow_reader.hpp"

#include <ranges>
#include <utility>

#include "storage/sql/workflows.sql.hpp"

namespace waybill::storage {
namespace {

std::vector<Bytes> split_secrets(std::string_view joined) {
  std::vector<Bytes> sealed;
  for (const auto part : std::views::split(joined, ',')) {
    if (!part.empty()) sealed.push_back(unhex(std::string_view(part.begin(), part.end())).value());
  }
  return sealed;
}

StoredWorkflow stored_workflow(const sql::workflows::Changed::Row& row) {
  return {.business_id = row.business_id,
          .guid = row.guid,
          .name = std::string(row.name),
          .entity_type = static_cast<domain::EntityType>(row.entity_type),
          .trigger_code = std::string(row.trigger_code),
          .action = std::string(row.action),
          .conditions = std::string(row.conditions),
          .is_active = row.is_active,
          .ordered = row.ordered,
          .delay = std::optional<std::string>(row.delay),
          .paused = row.paused,
          .version = row.version,
          .active_since = row.active_since,
          .deleted = row.deleted,
          .epoch = static_cast<std::uint64_t>(row.epoch),
          .business = {.name = std::string(row.business_name),
                       .sender_name = std::string(row.sender_name.value_or("")),
                       .reply_to = std::string(row.reply_to.value_or("")),
                       .email_enabled = row.email_enabled,
                       .push_enabled = row.push_enabled,
                       .zone_offsets = std::string(row.zone_offsets.value_or(""))},
          .sealed_secrets = split_secrets(row.secrets.value_or("")),
          .templates = std::optional<std::string>(row.templates),
          .created_at = row.created_at,
          .previous_until = row.previous_until,
          .sealed_credentials = row.sealed_credentials ? unhex(*row.sealed_credentials) : std::nullopt,
          .window = std::optional<std::string>(row.window),
          .limit = std::optional<std::string>(row.limit),
          .rate = std::optional<std::string>(row.rate),
          .timer_plan = row.timer_plan.value_or(0),
          .timer_since = row.timer_since.value_or(Time()),
          .workdays = row.workdays,
          .cancel_on = std::optional<std::string>(row.cancel_on),
          .watches = row.watches,
          .switches = domain::parse_switches(row.switches.value_or(""))};
}

/// The size of the parts that may be large.
std::size_t byte_size(const StoredWorkflow& workflow) {
  return workflow.action.size() + workflow.conditions.size() +
         (workflow.templates ? workflow.templates->size() : 0);
}

std::uint64_t read(Session& session, std::uint64_t epoch, std::optional<std::vector<Guid>> businesses,
                   const TakeWorkflows& take) {
  const sql::workflows::Changed statement{.epoch = static_cast<std::int64_t>(epoch),
                                          .businesses = std::move(businesses)};
  std::vector<StoredWorkflow> portion;
  std::size_t bytes = 0;
  session.stream_binary(statement, [&](const Rows& row) {
    portion.push_back(stored_workflow(sql::workflows::Changed::Row(RowOf<Rows>{row, 0})));
    epoch = portion.back().epoch;
    bytes += byte_size(portion.back());
    if (bytes < workflows_portion) return true;
    take(portion);
    portion.clear();
    bytes = 0;
    return true;
  });
  if (!portion.empty()) take(portion);
  return epoch;
}

}  // namespace

std::uint64_t read_changed_workflows(Session& session, std::uint64_t epoch, const TakeWorkflows& take) {
  return read(session, epoch, std::nullopt, take);
}

std::uint64_t read_changed_workflows(Session& session, std::uint64_t epoch, std::span<const Guid> businesses,
                                     const TakeWorkflows& take) {
  return read(session, epoch, std::vector<Guid>(businesses.begin(), businesses.end()), take);
}

}  // namespace waybill::storage
