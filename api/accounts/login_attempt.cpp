#include "api/accounts/login_attempt.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "storage/sql/logins.sql.hpp"

namespace waybill::api {

asio::awaitable<LoginAttempt> LoginAttempt::begin(Services& services, std::optional<std::string> email,
                                                  std::string network) {
  const auto counts =
      co_await services.db.write(sql::logins::Reserve{.email = email, .network = network}, {});
  std::int32_t wait = 0;
  bool counted_any = false;
  for (const auto& count : counts) {
    if (count.is_counted) {
      counted_any = true;
    } else {
      wait = std::max(wait, count.seconds_left);
    }
  }
  const LoginAttempt attempt(std::move(email), std::move(network), counts.front().at);
  if (wait == 0) co_return attempt;
  // A refused attempt does not count as failed.
  if (counted_any) co_await attempt.succeed(services);
  throw Failure(ErrorCode::rate_limited, "Too many logins have failed; try again later.")
      .with_retry_after(std::chrono::seconds(wait));
}

asio::awaitable<void> LoginAttempt::succeed(Services& services) const {
  co_await services.db.write(
      sql::logins::Release{.email = email_, .network = network_, .counted_at = counted_at_}, {});
}

}  // namespace waybill::api
