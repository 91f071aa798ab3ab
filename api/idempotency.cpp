#include "api/idempotency.hpp"

#include <algorithm>
#include <charconv>

#include "base/crypto.hpp"
#include "base/error.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t longest_key = 255;

void check_key(std::string_view key) {
  const bool good = !key.empty() && key.size() <= longest_key &&
                    std::ranges::all_of(key, [](char c) { return c >= ' ' && c <= '~'; });
  if (!good) throw invalid("Idempotency-Key", "must be 1 to 255 printable ASCII characters");
}

}  // namespace

IdempotentRequest::IdempotentRequest(const Principal& principal, std::string_view key)
    : business_id_((principal.is_user ? Guid{} : principal.business_id).to_string()),
      token_id_(principal.token_id.to_string()),
      key_(key) {}

storage::Params IdempotentRequest::identity() const {
  storage::Params params;
  params.add(business_id_).add(token_id_).add(key_);
  return params;
}

std::string IdempotentRequest::purpose() const { return "idempotent-answer:" + token_id_ + ":" + key_; }

asio::awaitable<IdempotentRequest> IdempotentRequest::begin(Services& services, const Principal& principal,
                                                            std::string_view key, std::string_view request) {
  enum Column { started, created_at, same_request, status, body, location };
  check_key(key);
  IdempotentRequest self(principal, key);
  auto params = self.identity();
  params.add("\\x" + hex(sha256(request)));
  const auto rows = co_await services.db.write(storage::sql::idempotency::begin, std::move(params), {});
  if (!rows.empty() && rows.get(0, started) == "t") {
    self.stamp_ = rows.get(0, created_at);
    co_return self;
  }
  if (!rows.empty() && rows.get(0, same_request) != "t") {
    throw conflict("This Idempotency-Key was used with another request.");
  }
  if (rows.empty() || rows.is_null(0, status)) {
    throw conflict("The first request with this Idempotency-Key is still running.");
  }
  const auto sealed = base64_decode(rows.get(0, body));
  if (!sealed) throw SecretError("a kept answer is no base64");
  KeptAnswer answer{.body = services.secrets.open(*sealed, self.purpose()),
                    .location = std::string(rows.get(0, location))};
  const auto code = rows.get(0, status);
  std::from_chars(code.data(), code.data() + code.size(), answer.status);
  self.kept_ = std::move(answer);
  co_return self;
}

asio::awaitable<void> IdempotentRequest::finish(Services& services, const KeptAnswer& answer) const {
  auto params = identity();
  params.add(stamp_)
      .add(std::int64_t{answer.status})
      .add(base64(services.secrets.seal(answer.body, purpose())));
  if (answer.location.empty()) {
    params.add_null();
  } else {
    params.add(answer.location);
  }
  co_await services.db.write(storage::sql::idempotency::finish, std::move(params), {});
}

asio::awaitable<void> IdempotentRequest::abandon(Services& services) const {
  auto params = identity();
  params.add(stamp_);
  co_await services.db.write(storage::sql::idempotency::abandon, std::move(params), {});
}

}  // namespace waybill::api
