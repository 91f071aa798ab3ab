#include "api/accounts/login_attempt.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::api {

asio::awaitable<LoginAttempt> LoginAttempt::begin(Services& services, std::string email,
                                                  std::string network) {
  enum Column { is_counted, at, seconds_left };
  storage::Params params;
  params.add(email).add(network);
  const auto rows = co_await services.db.write(storage::sql::logins::reserve, std::move(params), {});
  std::int64_t wait = 0;
  bool counted_any = false;
  storage::for_each_row(rows, [&](const storage::RowView& row) {
    if (row.boolean(is_counted)) {
      counted_any = true;
    } else {
      wait = std::max(wait, row.number(seconds_left));
    }
  });
  const LoginAttempt attempt(std::move(email), std::move(network), std::string(rows.get(0, at)));
  if (wait == 0) co_return attempt;
  // A refused attempt does not count as failed.
  if (counted_any) co_await attempt.succeed(services);
  throw Failure(ErrorCode::rate_limited, "Too many logins have failed; try again later.")
      .with_retry_after(std::chrono::seconds(wait));
}

asio::awaitable<void> LoginAttempt::succeed(Services& services) const {
  storage::Params params;
  params.add(email_).add(network_).add(at_);
  co_await services.db.write(storage::sql::logins::release, std::move(params), {});
}

}  // namespace waybill::api
