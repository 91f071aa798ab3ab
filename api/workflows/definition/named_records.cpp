#include "api/workflows/definition/named_records.hpp"

#include <set>
#include <string>
#include <vector>

#include "api/workflows/definition/step_body.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::api {

asio::awaitable<void> check_records(const Call& call, Services& services,
                                    const WorkflowDefinition& definition) {
  std::vector<Guid> carriers;
  std::set<std::string> items;
  for_each_action(definition.action, [&](const actions::Action& action, const json::object& action_definition,
                                         const std::string&) {
    for (const auto& [kind, guid] : action.records(action_definition)) {
      if (kind == actions::NamedRecord::Kind::carrier) carriers.push_back(guid);
      if (kind == actions::NamedRecord::Kind::item) items.insert(guid.to_string());
    }
  });
  if (carriers.empty() && items.empty()) co_return;
  const auto found = co_await services.db.read(
      storage::sql::workflows::UnknownRecords{.business = call.business(),
                                              .carriers = carriers,
                                              .items = std::vector<std::string>(items.begin(), items.end())});
  if (found.front().lacks_carrier) throw not_found("carrier");
  if (found.front().lacks_item) throw not_found("item");
}

}  // namespace waybill::api
