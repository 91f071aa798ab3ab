#include "api/workflows/definition/named_records.hpp"

#include <set>
#include <string>
#include <vector>

#include "api/workflows/definition/step_body.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::api {

namespace {

/// The records that the actions of a workflow name.
std::set<std::pair<actions::NamedRecord::Kind, Guid>> named_in(const json::object& action) {
  std::set<std::pair<actions::NamedRecord::Kind, Guid>> named;
  for_each_action(action,
                  [&](const actions::Action& each, const json::object& definition, const std::string&) {
                    for (const auto& [kind, guid] : each.records(definition)) named.emplace(kind, guid);
                  });
  return named;
}

}  // namespace

asio::awaitable<void> check_records(const Call& call, Services& services, const json::object& action,
                                    const json::object& before) {
  const auto known = named_in(before);
  std::vector<Guid> carriers;
  std::vector<std::string> items;
  for (const auto& named : named_in(action)) {
    if (known.contains(named)) continue;
    if (named.first == actions::NamedRecord::Kind::carrier) carriers.push_back(named.second);
    if (named.first == actions::NamedRecord::Kind::item) items.push_back(named.second.to_string());
  }
  if (carriers.empty() && items.empty()) co_return;
  const auto found = co_await services.db.read(storage::sql::workflows::UnknownRecords{
      .business = call.business(), .carriers = carriers, .items = items});
  if (found.front().lacks_carrier) throw not_found("carrier");
  if (found.front().lacks_item) throw not_found("item");
}

}  // namespace waybill::api
