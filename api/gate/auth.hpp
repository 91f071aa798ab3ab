#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "api/endpoint/endpoint.hpp"
#include "base/clock.hpp"
#include "storage/database/database.hpp"

namespace waybill::api {

using TokenHash = std::array<std::uint8_t, 32>;

/// A token as it is stored.
struct TokenRecord {
  Principal principal;
  std::string plan;
  std::optional<Time> expires_at;
  bool revoked = false;
  bool is_suspended = false;  // its business is suspended
};

/// Finds API tokens and the user tokens of sessions by their hash.
class TokenStore {
 public:
  virtual ~TokenStore() = default;
  /// nullopt for an unknown token. Throws DatabaseUnavailable.
  virtual asio::awaitable<std::optional<TokenRecord>> find(const TokenHash& hash) = 0;
  /// Writes the time of the last use of an API token.
  virtual asio::awaitable<void> touch(const Principal& principal) = 0;
};

class SqlTokenStore : public TokenStore {
 public:
  explicit SqlTokenStore(storage::Database& db) : db_(db) {}
  asio::awaitable<std::optional<TokenRecord>> find(const TokenHash& hash) override;
  asio::awaitable<void> touch(const Principal& principal) override;

 private:
  storage::Database& db_;
};

/// The token of an Authorization header (RFC 6750 section 2.1, the scheme in any case); nullopt for any other
/// header.
std::optional<std::string_view> bearer_token(std::string_view authorization);

/// Finds the principal of a token. One for each io thread, used on it only. Results are cached for half a
/// second, so that a revocation or a change of plan takes effect within a second; concurrent requests with a
/// token that is not cached share one look-up. Unknown tokens are cached too, and the cache is bounded, so
/// that guessing neither loads the database nor fills the memory. A change of the epoch invalidates the
/// cache.
class Authenticator {
 public:
  struct Options {
    std::chrono::steady_clock::duration keep = std::chrono::milliseconds(500);
    std::chrono::steady_clock::duration touch_interval = std::chrono::minutes(1);
    std::size_t most_entries = 10'000;
    // Grows when cached tokens may have changed; can be null.
    const std::atomic<std::uint64_t>* epoch = nullptr;
  };

  Authenticator(asio::any_io_executor executor, TokenStore& store, const Clock& clock, Options options);
  Authenticator(asio::any_io_executor executor, TokenStore& store, const Clock& clock)
      : Authenticator(std::move(executor), store, clock, Options{}) {}
  ~Authenticator();
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  using Record = std::shared_ptr<const TokenRecord>;

  /// Takes the header Authorization. Throws Failure (UNAUTHORIZED) if it is missing or malformed, or its
  /// token unknown, revoked, expired or that of a cookie; DatabaseUnavailable if the token cannot be looked
  /// up.
  asio::awaitable<Record> authenticate(std::string_view authorization);

  /// Takes the value of a session cookie. Throws Failure (UNAUTHORIZED) if it is not the token of a cookie's
  /// session, or the session has ended; DatabaseUnavailable as above.
  asio::awaitable<Record> authenticate_cookie(std::string_view value);

  /// The number of cached tokens, known and unknown.
  std::size_t size() const { return entries_.size(); }

 private:
  using Steady = std::chrono::steady_clock;
  struct LookUp;
  struct Entry {
    Record record;  // null: no such token
    Steady::time_point loaded_at;
    Steady::time_point touched_at;
    std::uint64_t epoch = 0;  // at the start of the look-up
    bool touched = false;
    std::shared_ptr<LookUp> look_up;  // null if none is running
  };
  struct HashOfHash {
    std::size_t operator()(const TokenHash& hash) const noexcept;
  };

  asio::awaitable<Record> find_live(std::string_view token);
  std::uint64_t epoch() const { return options_.epoch ? options_.epoch->load() : 0; }
  static Record result_of(const LookUp& look_up);
  asio::awaitable<Record> load(TokenHash hash, Steady::time_point now);
  void touch(Entry& entry, const Record& record, Steady::time_point now);
  void make_room(Steady::time_point now);

  asio::any_io_executor executor_;
  TokenStore& store_;
  const Clock& clock_;
  Options options_;
  std::unordered_map<TokenHash, Entry, HashOfHash> entries_;
};

}  // namespace waybill::api
