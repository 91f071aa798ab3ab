#include "api/gate/auth.hpp"

#include <algorithm>
#include <cstring>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/crypto.hpp"
#include "base/error.hpp"
#include "storage/sql/tokens.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t longest_token = 512;  // bytes

Failure unauthorized() {
  return {ErrorCode::unauthorized, "A valid token is required: Authorization: Bearer TOKEN."};
}

Failure session_ended() { return {ErrorCode::unauthorized, "The session has ended; sign in again."}; }

Caller caller_of(bool is_session, bool has_user) {
  if (!is_session) return Caller::api_token;
  return has_user ? Caller::user : Caller::link;
}

/// Keeps the record alive while the store writes.
asio::awaitable<void> touch_in_store(TokenStore& store, Authenticator::Record record) {
  co_await store.touch(record->principal);
}

}  // namespace

asio::awaitable<std::optional<TokenRecord>> SqlTokenStore::find(const TokenHash& hash) {
  const auto rows = co_await db_.read(sql::tokens::Find{.token_hash = hash});
  const auto token = rows.find();
  if (!token) co_return std::nullopt;
  co_return TokenRecord{.principal = {.business_id = token->business_id.value_or(Guid{}),
                                      .token_id = token->guid,
                                      .user_id = token->user_id.value_or(Guid{}),
                                      .name = std::string(token->name),
                                      .role = parse_role(token->role),
                                      .caller = caller_of(token->is_session, token->user_id.has_value()),
                                      .by_cookie = token->by_cookie},
                        .plan = std::string(token->plan),
                        .expires_at = token->expires_at,
                        .revoked = token->revoked,
                        .is_suspended = token->suspended};
}

asio::awaitable<void> SqlTokenStore::touch(const Principal& principal) {
  co_await db_.write(sql::tokens::Touch{.business = principal.business_id, .token = principal.token_id}, {});
}

std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view scheme = "bearer ";
  if (authorization.size() <= scheme.size()) return std::nullopt;
  const auto matches = [](char given, char wanted) { return given == wanted || (given | 0x20) == wanted; };
  if (!std::ranges::equal(authorization.substr(0, scheme.size()), scheme, matches)) return std::nullopt;
  authorization.remove_prefix(
      std::min(authorization.find_first_not_of(' ', scheme.size()), authorization.size()));
  if (authorization.empty() || authorization.size() > longest_token) return std::nullopt;
  return authorization;
}

/// A look-up that other requests with the same token wait for.
struct Authenticator::LookUp {
  LookUp(const asio::any_io_executor& executor, std::uint64_t begun_at)
      : done(executor, asio::steady_timer::time_point::max()), epoch(begun_at) {}
  asio::steady_timer done;  // cancelled at the end
  std::uint64_t epoch;
  Record record;
  std::exception_ptr error;
};

Authenticator::Authenticator(asio::any_io_executor executor, TokenStore& store, const Clock& clock,
                             Options options)
    : executor_(std::move(executor)), store_(store), clock_(clock), options_(options) {}

Authenticator::~Authenticator() = default;

Authenticator::Record Authenticator::result_of(const LookUp& look_up) {
  if (look_up.error) std::rethrow_exception(look_up.error);
  return look_up.record;
}

std::size_t Authenticator::HashOfHash::operator()(const TokenHash& hash) const noexcept {
  std::size_t value = 0;
  std::memcpy(&value, hash.data(), sizeof(value));
  return value;
}

asio::awaitable<Authenticator::Record> Authenticator::authenticate(std::string_view authorization) {
  const auto token = bearer_token(authorization);
  if (!token) throw unauthorized();
  const auto record = co_await find_live(*token);
  if (!record || record->principal.by_cookie) throw unauthorized();
  co_return record;
}

asio::awaitable<Authenticator::Record> Authenticator::authenticate_cookie(std::string_view value) {
  if (value.size() > longest_token) throw session_ended();
  const auto record = co_await find_live(value);
  if (!record || !record->principal.by_cookie) throw session_ended();
  co_return record;
}

/// Null if the token is unknown, revoked or expired.
asio::awaitable<Authenticator::Record> Authenticator::find_live(std::string_view token) {
  const auto hash = sha256(token);
  const auto now = Steady::now();
  Record record;
  const auto known = entries_.find(hash);
  if (known != entries_.end() && !known->second.look_up && known->second.epoch == epoch() &&
      now - known->second.loaded_at < options_.keep) {
    record = known->second.record;
  } else {
    record = co_await load(hash, now);
  }
  if (!record || record->revoked || record->expires_at.value_or(Time::max()) <= clock_.now())
    co_return nullptr;
  if (record->principal.caller == Caller::api_token) {
    if (const auto entry = entries_.find(hash); entry != entries_.end()) touch(entry->second, record, now);
  }
  co_return record;
}

asio::awaitable<Authenticator::Record> Authenticator::load(TokenHash hash, Steady::time_point now) {
  make_room(now);
  const auto asked_at = epoch();
  auto look_up = entries_[hash].look_up;
  while (look_up) {
    boost::system::error_code ignored;
    co_await look_up->done.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (look_up->epoch >= asked_at) co_return result_of(*look_up);
    // That look-up may have read the state before the change of the epoch.
    look_up = entries_[hash].look_up;
  }
  look_up = entries_[hash].look_up = std::make_shared<LookUp>(executor_, epoch());
  try {
    if (auto found = co_await store_.find(hash)) {
      look_up->record = std::make_shared<const TokenRecord>(std::move(*found));
    }
  } catch (...) {
    look_up->error = std::current_exception();
  }
  auto& entry = entries_[hash];
  entry.look_up.reset();
  if (look_up->error) {
    entries_.erase(hash);
  } else {
    entry.record = look_up->record;
    entry.loaded_at = now;
    entry.epoch = look_up->epoch;
  }
  look_up->done.cancel();
  co_return result_of(*look_up);
}

void Authenticator::touch(Entry& entry, const Record& record, Steady::time_point now) {
  if (entry.touched && now - entry.touched_at < options_.touch_interval) return;
  entry.touched = true;
  entry.touched_at = now;
  // If the write fails, a request a minute later repeats it.
  asio::co_spawn(executor_, touch_in_store(store_, record), [](const std::exception_ptr&) {});
}

void Authenticator::make_room(Steady::time_point now) {
  if (entries_.size() < options_.most_entries) return;
  std::erase_if(entries_, [&](const auto& item) {
    const auto& entry = item.second;
    const bool touched_lately = entry.touched && now - entry.touched_at < options_.touch_interval;
    return !entry.look_up && !touched_lately && now - entry.loaded_at >= options_.keep;
  });
  if (entries_.size() < options_.most_entries) return;
  std::erase_if(entries_, [](const auto& item) { return !item.second.look_up; });
}

}  // namespace waybill::api
