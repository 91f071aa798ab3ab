#include "storage/workflow_reader.hpp"

#include <ranges>

#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {
namespace {

std::vector<Bytes> split_secrets(std::string_view joined) {
  std::vector<Bytes> sealed;
  for (const auto part : std::views::split(joined, ',')) {
    if (!part.empty()) sealed.push_back(unhex(std::string_view(part.begin(), part.end())).value());
  }
  return sealed;
}

}  // namespace

std::vector<StoredWorkflow> changed_workflows(Session& session, std::uint64_t epoch) {
  const Rows rows = session.run(sql::workflows::changed, epoch);
  std::vector<StoredWorkflow> workflows;
  workflows.reserve(static_cast<std::size_t>(rows.size()));
  for_each_row(rows, [&](const RowView& row) {
    workflows.push_back({.business_id = row.guid(0),
                         .guid = row.guid(1),
                         .name = row.string(2),
                         .entity_type = static_cast<domain::EntityType>(row.number<int>(3)),
                         .trigger_code = row.string(4),
                         .action = row.string(5),
                         .conditions = row.string(6),
                         .is_active = row.boolean(7),
                         .ordered = row.boolean(8),
                         .delay = row.maybe_string(9),
                         .paused = row.boolean(10),
                         .version = row.number<int>(11),
                         .active_since = row.time(12),
                         .deleted = row.boolean(13),
                         .epoch = row.number<std::uint64_t>(14),
                         .business_name = row.string(15),
                         .sealed_secrets = split_secrets(row.view(16)),
                         .templates = row.maybe_string(17),
                         .created_at = row.time(18),
                         .previous_until = row.is_null(19) ? std::nullopt : std::optional(row.time(19)),
                         .sealed_credentials = row.is_null(20) ? std::nullopt : unhex(row.view(20)),
                         .sender_name = row.maybe_string(21).value_or(""),
                         .reply_to = row.maybe_string(22).value_or("")});
  });
  return workflows;
}

}  // namespace waybill::storage
