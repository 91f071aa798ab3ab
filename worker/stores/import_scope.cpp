#include "worker/stores/import_scope.hpp"

#include <utility>

#include "storage/sql/imports.sql.hpp"

namespace waybill::worker {

PageCounts& PageCounts::operator+=(const PageCounts& more) {
  imported += more.imported;
  updated += more.updated;
  unchanged += more.unchanged;
  failed += more.failed;
  return *this;
}

asio::awaitable<PageWork> PageWork::begin(const ImportScope& scope) {
  PageWork work(scope, co_await scope.thread.database().begin({scope.cause, scope.business}));
  const auto held = co_await work.run(sql::imports::Hold{.business = scope.business,
                                                         .integration = scope.integration,
                                                         .worker = scope.worker,
                                                         .lease = format_duration(scope.lease)});
  if (held.empty()) throw LeaseLost();
  co_return std::move(work);
}

asio::awaitable<void> PageWork::commit(Advance advance, const std::vector<Refused>& refused) {
  const auto& counts = advance.counts;
  co_await run(sql::imports::Advance{.business = scope_.business,
                                     .run = scope_.run,
                                     .imported = counts.imported,
                                     .updated = counts.updated,
                                     .unchanged = counts.unchanged,
                                     .failed = counts.failed,
                                     .errors = errors_json(refused),
                                     .integration = scope_.integration,
                                     .orders_reached = advance.orders_reached,
                                     .products_reached = advance.products_reached,
                                     .recent_orders = advance.recent_orders,
                                     .most_errors = advance.most_errors});
  co_await transaction_->commit();
}

std::string errors_json(const std::vector<Refused>& refused) {
  const auto text = [](const std::string& value) {
    return value.empty() ? json::value() : json::value(value);
  };
  json::array errors;
  for (const auto& each : refused) {
    errors.emplace_back(json::object{{"externalId", text(each.external_id)},
                                     {"orderNumber", text(each.number.value_or(""))},
                                     {"reason", each.reason}});
  }
  return to_json(errors);
}

std::string refusal_text(const storage::StatementError& error) {
  if (!error.constraint().empty()) return "It breaks the rule " + error.constraint() + ".";
  return std::string("The database refuses it: ") + error.what();
}

}  // namespace waybill::worker
