#include "api/match_lag.hpp"

#include <string>

#include "base/observe.hpp"
#include "storage/sql.hpp"

namespace waybill::api {

asio::awaitable<double> MatchLag::seconds(storage::Database& database) {
  using namespace std::chrono;
  const auto now = duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  auto due = next_question_.load();
  if (now >= due && next_question_.compare_exchange_strong(due, now + nanoseconds(1s).count())) {
    const auto rows = co_await database.read(storage::sql::outbox::lag, {});
    seconds_ = std::stod(std::string(rows.get(0, 0)));
    set_gauge(Gauge::match_lag_seconds, seconds_);  // where no worker is left, nobody else tells
  }
  co_return seconds_.load();
}

}  // namespace waybill::api
