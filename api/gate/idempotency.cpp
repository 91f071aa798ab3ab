#include "api/gate/idempotency.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "base/crypto.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::idempotency;

constexpr std::size_t longest_key = 255;

void check_key(std::string_view key) {
  const bool good = !key.empty() && key.size() <= longest_key &&
                    std::ranges::all_of(key, [](char c) { return c >= ' ' && c <= '~'; });
  if (!good) throw invalid("Idempotency-Key", "must be 1 to 255 printable ASCII characters");
}

Failure still_running() { return conflict("The first request with this Idempotency-Key is still running."); }

/// The keys in use by requests of this process, on all threads.
struct KeysInUse {
  std::mutex mutex;
  std::unordered_set<std::string> names;
};

KeysInUse& keys_in_use() {
  static KeysInUse keys;
  return keys;
}

}  // namespace

IdempotentRequest::IdempotentRequest(const Services& services, const Principal& principal,
                                     std::string_view key, std::string_view request)
    : services_(services),
      business_id_((principal.is_user ? Guid{} : principal.business_id).to_string()),
      token_id_(principal.token_id.to_string()),
      key_(key),
      request_hash_("\\x" + hex(sha256(request))) {
  check_key(key);
  auto& in_use = keys_in_use();
  const std::lock_guard lock(in_use.mutex);
  if (!in_use.names.insert(name()).second) throw still_running();
}

IdempotentRequest::~IdempotentRequest() {
  auto& in_use = keys_in_use();
  const std::lock_guard lock(in_use.mutex);
  in_use.names.erase(name());
}

storage::Params IdempotentRequest::identity() const {
  storage::Params params;
  params.add(business_id_).add(token_id_).add(key_).add(request_hash_);
  return params;
}

std::string IdempotentRequest::purpose() const { return "idempotent-answer:" + name(); }

asio::awaitable<std::optional<KeptAnswer>> IdempotentRequest::find() const {
  enum Column { same_request, status, body, location };
  const auto rows = co_await services_.db.read(sql::find, identity());
  if (rows.empty()) co_return std::nullopt;
  if (rows.get(0, same_request) != "t") {
    throw conflict("This Idempotency-Key was used with another request.");
  }
  if (rows.is_null(0, status)) throw still_running();
  const auto sealed = base64_decode(rows.get(0, body));
  if (!sealed) throw SecretError("a kept answer is not base64");
  KeptAnswer answer{.body = services_.secrets.open(*sealed, purpose()),
                    .location = std::string(rows.get(0, location))};
  answer.status = parse_number<int>(rows.get(0, status)).value();
  co_return answer;
}

storage::UnitOfWork::Opening IdempotentRequest::opening() const {
  return {.statement = sql::hold,
          .params = storage::Params().add(token_id_).add(key_),
          .check = [](const storage::Rows& rows) {
            if (rows.get(0, 0) != "t") throw still_running();
          }};
}

asio::awaitable<void> IdempotentRequest::keep(storage::UnitOfWork& work, const KeptAnswer& answer) const {
  auto params = identity();
  params.add(std::int64_t{answer.status}).add(base64(services_.secrets.seal(answer.body, purpose())));
  if (answer.location.empty()) {
    params.add_null();
  } else {
    params.add(answer.location);
  }
  const auto kept = co_await work.write(sql::keep, std::move(params), {});
  if (kept.empty()) throw still_running();
}

}  // namespace waybill::api
