#include "api/accounts/account_mails.hpp"

#include <algorithm>
#include <optional>

#include "api/http/client_network.hpp"
#include "base/error.hpp"
#include "net/destination/ascii_host.hpp"
#include "storage/sql/account_requests.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::int64_t invitations_per_business = 50;  // per hour

/// A counter and its limit per hour; 0 means no limit.
struct Limit {
  std::string key;
  std::int64_t most;
};

/// The address with its domain as it is sent: each spelling of the domain reaches one mailbox.
std::string mailbox(const std::string& email) {
  const auto at = email.rfind('@');
  if (at == std::string::npos) return email;
  return email.substr(0, at + 1) + net::ascii_domain(email.substr(at + 1));
}

asio::awaitable<void> count(Services& services, Limit sender, Limit recipient) {
  const auto counts =
      co_await services.db.write(sql::account_requests::Count{.sender = sender.key,
                                                              .sender_limit = sender.most,
                                                              .recipient = recipient.key,
                                                              .recipient_limit = recipient.most},
                                 {});
  std::int32_t wait = 0;
  std::optional<Time> counted_at;  // for the sender
  for (const auto& count : counts) {
    if (!count.is_within) {
      wait = std::max(wait, count.seconds_left);
    } else if (count.is_sender) {
      counted_at = count.at;
    }
  }
  if (wait == 0) co_return;
  if (counted_at) {
    co_await services.db.write(
        sql::account_requests::Release{.sender_or_recipient = sender.key, .counted_at = *counted_at}, {});
  }
  throw Failure(ErrorCode::rate_limited, "Too many mails were requested; try again later.")
      .with_retry_after(std::chrono::seconds(wait));
}

}  // namespace

asio::awaitable<void> count_account_mail(const Call& call, Services& services, std::string email) {
  const auto& limits = services.settings.account_mails;
  if (limits.per_network == 0 && limits.per_address == 0) co_return;
  co_await count(services, {"network:" + network_of(call.peer), limits.per_network},
                 {"address:" + mailbox(email), limits.per_address});
}

asio::awaitable<void> count_invitation(const Call& call, Services& services, std::string email) {
  co_await count(services, {"business:" + call.principal.business_id.to_string(), invitations_per_business},
                 {"invited:" + mailbox(email), services.settings.account_mails.per_address});
}

}  // namespace waybill::api
