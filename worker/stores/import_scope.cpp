#include "worker/stores/import_scope.hpp"

#include <utility>

#include "storage/sql.hpp"

namespace waybill::worker {
namespace {

namespace sql = storage::sql::imports;

std::optional<std::string> text_of(const std::optional<Time>& time) {
  return time ? std::optional(format_sql_timestamp(*time)) : std::nullopt;
}

}  // namespace

PageCounts& PageCounts::operator+=(const PageCounts& more) {
  imported += more.imported;
  updated += more.updated;
  unchanged += more.unchanged;
  failed += more.failed;
  return *this;
}

asio::awaitable<PageWork> PageWork::begin(const ImportScope& scope) {
  PageWork work(scope, co_await scope.db.begin({scope.cause}));
  auto params = work.key();
  params.add(scope.worker.to_string()).add(format_duration(scope.lease));
  const auto held = co_await work.run(sql::hold, std::move(params));
  if (held.empty()) throw LeaseLost();
  co_return std::move(work);
}

asio::awaitable<storage::Rows> PageWork::run(const storage::Statement& statement, storage::Params params) {
  co_return co_await transaction_->run(statement, std::move(params));
}

asio::awaitable<void> PageWork::commit(Advance advance, const std::vector<Refused>& refused) {
  const auto& counts = advance.counts;
  storage::Params params;
  params.add(scope_.business.to_string()).add(scope_.run.to_string());
  params.add(counts.imported).add(counts.updated).add(counts.unchanged).add(counts.failed);
  params.add(errors_json(refused)).add(scope_.integration.to_string());
  params.add(text_of(advance.orders_reached)).add(text_of(advance.products_reached));
  co_await run(sql::advance, std::move(params));
  co_await transaction_->commit();
}

storage::Params PageWork::key() const {
  storage::Params params;
  params.add(scope_.business.to_string()).add(scope_.integration.to_string());
  return params;
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
