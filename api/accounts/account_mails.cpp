#include "api/accounts/account_mails.hpp"

#include <algorithm>

#include "api/http/failure_limit.hpp"
#include "base/error.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

constexpr std::int64_t invitations_per_business = 50;  // per hour

/// A counter and its limit per hour; 0 means no limit.
struct Limit {
  std::string key;
  std::int64_t most;
};

asio::awaitable<void> count(Services& services, Limit sender, Limit recipient) {
  enum Column { is_sender, is_within, at, seconds_left };
  storage::Params params;
  params.add(sender.key).add(sender.most).add(std::move(recipient.key)).add(recipient.most);
  const auto rows = co_await services.db.write(storage::sql::account_requests::count, std::move(params), {});
  std::int64_t wait = 0;
  std::string counted_at;  // of the sender
  storage::for_each_row(rows, [&](const storage::RowView& row) {
    if (!row.boolean(is_within)) {
      wait = std::max(wait, row.number(seconds_left));
    } else if (row.boolean(is_sender)) {
      counted_at = row.string(at);
    }
  });
  if (wait == 0) co_return;
  if (!counted_at.empty()) {
    storage::Params counted;
    counted.add(std::move(sender.key)).add(std::move(counted_at));
    co_await services.db.write(storage::sql::account_requests::release, std::move(counted), {});
  }
  throw Failure(ErrorCode::rate_limited, "Too many mails were requested; try again later.")
      .with_retry_after(std::chrono::seconds(wait));
}

}  // namespace

asio::awaitable<void> count_account_mail(const Call& call, Services& services, std::string email) {
  const auto& limits = services.settings.account_mails;
  if (limits.per_network == 0 && limits.per_address == 0) co_return;
  co_await count(services, {"network:" + network_of(call.peer), limits.per_network},
                 {"address:" + email, limits.per_address});
}

asio::awaitable<void> count_invitation(const Call& call, Services& services, std::string email) {
  co_await count(services, {"business:" + call.principal.business_id.to_string(), invitations_per_business},
                 {"invited:" + email, services.settings.account_mails.per_address});
}

}  // namespace waybill::api
