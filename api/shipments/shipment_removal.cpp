#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/records/fields.hpp"
#include "api/shipments/label_lock.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "base/guid.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {
namespace {

/// The statuses by guid that prevent a deletion: of shipments that are underway, and of labels.
struct Obstacles {
  json::object underway, labelled;
};

json::object object_of(std::optional<std::string_view> text) {
  return text ? json::parse(*text).as_object() : json::object();
}

/// Deletes all shipments, or none and returns what prevents it.
asio::awaitable<Obstacles> remove(Call& call, Services& services, std::vector<Guid> guids) {
  const auto rows = co_await services.db.write(
      sql::shipments::Remove{.business = call.business(), .shipments = guids}, call.cause());
  const auto result = rows.front();
  if (!result.complete) throw not_found("shipment");
  co_return Obstacles{.underway = object_of(result.underway), .labelled = object_of(result.labelled)};
}

std::string underway_error(const json::value& status) {
  return "is " + std::string(status.as_string()) + "; a shipment on its way cannot be deleted";
}

}  // namespace

asio::awaitable<Answer> delete_shipment(Call& call, Services& services) {
  const auto refused = co_await remove(call, services, std::vector{call.id()});
  if (!refused.underway.empty()) throw invalid("status", underway_error(refused.underway.begin()->value()));
  if (!refused.labelled.empty()) throw locked_by_label(refused.labelled.begin()->value().as_string());
  co_return Answer::none();
}

asio::awaitable<Answer> delete_shipments(Call& call, Services& services) {
  std::vector<Guid> guids;
  for (const auto& entry : call.body.get_array()) {
    guids.push_back(guid_at(entry.get_object(), "guid").value());
  }
  const auto refused = co_await remove(call, services, guids);
  FieldErrors underway, labelled;
  for (std::size_t i = 0; i < guids.size(); ++i) {
    const std::string guid = guids[i].to_string(), field = "[" + std::to_string(i) + "].guid";
    if (const auto* const status = refused.underway.if_contains(guid))
      underway.push_back({field, underway_error(*status)});
    if (const auto* const status = refused.labelled.if_contains(guid))
      labelled.push_back({field, locked_by_label(status->as_string()).message()});
  }
  if (!underway.empty()) throw invalid(std::move(underway));
  if (!labelled.empty())
    throw Failure(ErrorCode::conflict, "Carriers' labels of shipments are bought; void them first.",
                  std::move(labelled));
  co_return Answer::of("[]");
}

}  // namespace waybill::api
