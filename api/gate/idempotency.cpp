#include "api/gate/idempotency.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/crypto.hpp"
#include "base/error.hpp"
#include "base/thread/mutex.hpp"
#include "storage/sql/idempotency.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t longest_key = 255;

void check_key(std::string_view key) {
  const bool good = !key.empty() && key.size() <= longest_key &&
                    std::ranges::all_of(key, [](char c) { return c >= ' ' && c <= '~'; });
  if (!good) throw invalid("Idempotency-Key", "must be 1 to 255 printable ASCII characters");
}

Failure still_running() { return conflict("The first request with this Idempotency-Key is still running."); }

/// The keys in use by requests of this process, on all threads.
struct KeysInUse {
  Mutex mutex;
  std::unordered_set<std::string> names GUARDED_BY(mutex);
};

KeysInUse& keys_in_use() {
  static KeysInUse keys;
  return keys;
}

std::string name_of(const Guid& token, std::string_view key) {
  return token.to_string().append(":").append(key);
}

}  // namespace

std::string kept_answer_purpose(const Guid& token, std::string_view key) {
  return "idempotent-answer:" + name_of(token, key);
}

IdempotentRequest::IdempotentRequest(const Services& services, const Principal& principal,
                                     std::string_view key, std::string_view request)
    : services_(services),
      business_id_(principal.is_user() ? owner_of_sessions : principal.business_id),
      token_id_(principal.by_cookie && principal.is_user() ? principal.user_id : principal.token_id),
      key_(key),
      request_hash_(sha256(request)) {
  check_key(key);
  auto& in_use = keys_in_use();
  const Lock lock(in_use.mutex);
  if (!in_use.names.insert(name()).second) throw still_running();
}

IdempotentRequest::~IdempotentRequest() {
  auto& in_use = keys_in_use();
  const Lock lock(in_use.mutex);
  in_use.names.erase(name());
}

std::string IdempotentRequest::name() const { return name_of(token_id_, key_); }

asio::awaitable<std::optional<KeptAnswer>> IdempotentRequest::find() const {
  const auto rows = co_await services_.db.read(sql::idempotency::Find{
      .business = business_id_, .token = token_id_, .key = key_, .request_hash = request_hash_});
  const auto found = rows.find();
  if (!found) co_return std::nullopt;
  if (!found->is_same) throw conflict("This Idempotency-Key was used with another request.");
  if (!found->status) throw still_running();
  const auto sealed = base64_decode(found->body.value_or(""));
  if (!sealed) throw SecretError("a kept answer is not base64");
  co_return KeptAnswer{.status = *found->status,
                       .body = services_.secrets.open(*sealed, kept_answer_purpose(token_id_, key_)),
                       .location = std::string(found->location.value_or(""))};
}

storage::UnitOfWork::Opening IdempotentRequest::opening() const {
  return {.statement = sql::idempotency::Hold::statement,
          .params = sql::idempotency::Hold{.token = token_id_, .key = key_}.params(),
          .check = [](const storage::Rows& rows) {
            if (!storage::TypedRows<sql::idempotency::Hold>(rows).front().is_held) throw still_running();
          }};
}

asio::awaitable<void> IdempotentRequest::keep(storage::Database& work, const KeptAnswer& answer) const {
  std::optional<std::string_view> location;
  if (!answer.location.empty()) location = answer.location;
  const auto kept = co_await work.write(
      sql::idempotency::Keep{
          .business = business_id_,
          .token = token_id_,
          .key = key_,
          .request_hash = request_hash_,
          .status = answer.status,
          .body = base64(services_.secrets.seal(answer.body, kept_answer_purpose(token_id_, key_))),
          .location = location},
      {});
  if (kept.empty()) throw still_running();
}

}  // namespace waybill::api
