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

#include "api/route/route.hpp"
#include "base/clock.hpp"
#include "storage/database.hpp"

namespace waybill::api {

using TokenHash = std::array<std::uint8_t, 32>;

/// What a token stands for.
struct TokenRecord {
  Principal principal;
  std::string plan;
  std::optional<Time> expires_at;
  bool revoked = false;
};

/// Where tokens are kept. User tokens of sessions are found by the same look-up as API tokens.
class TokenStore {
 public:
  virtual ~TokenStore() = default;
  /// nullopt for a token nobody was given. Throws DatabaseUnavailable.
  virtual asio::awaitable<std::optional<TokenRecord>> find(const TokenHash& hash) = 0;
  /// Notes that an API token was used now.
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

/// Turns tokens into principals; one for each io thread and used on it alone. Answers are kept for half a
/// second, so that a revocation or a change of plan acts within one; requests that miss the same token share
/// one look-up. Unknown tokens are kept too, and the cache is bounded, so that guessing neither loads the
/// database nor fills the memory. A change of the epoch makes it ask again at once.
class Authenticator {
 public:
  struct Options {
    std::chrono::steady_clock::duration keep = std::chrono::milliseconds(500);
    std::chrono::steady_clock::duration touch_interval = std::chrono::minutes(1);
    std::size_t most_entries = 10'000;
    const std::atomic<std::uint64_t>* epoch = nullptr;  // grows when what is kept may be wrong; may be null
  };

  Authenticator(asio::any_io_executor executor, TokenStore& store, const Clock& clock, Options options);
  Authenticator(asio::any_io_executor executor, TokenStore& store, const Clock& clock)
      : Authenticator(std::move(executor), store, clock, Options{}) {}
  ~Authenticator();
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  using Record = std::shared_ptr<const TokenRecord>;

  /// Throws Failure (UNAUTHORIZED) for a header that is missing, malformed, or whose token is unknown,
  /// revoked or expired; DatabaseUnavailable when it cannot be told.
  asio::awaitable<Record> authenticate(std::string_view authorization);

  /// Tokens it remembers, known and unknown.
  std::size_t size() const { return entries_.size(); }

 private:
  using Steady = std::chrono::steady_clock;
  struct Flight;
  struct Entry {
    Record record;  // null: no such token
    Steady::time_point loaded_at;
    Steady::time_point touched_at;
    std::uint64_t epoch = 0;  // of the look-up's begin
    bool touched = false;
    std::shared_ptr<Flight> flight;  // of the look-up under way
  };
  struct HashOfHash {
    std::size_t operator()(const TokenHash& hash) const noexcept;
  };

  std::uint64_t epoch() const { return options_.epoch ? options_.epoch->load() : 0; }
  static Record result_of(const Flight& flight);
  asio::awaitable<Record> look_up(TokenHash hash, Steady::time_point now);
  void touch(Entry& entry, const Record& record, Steady::time_point now);
  void make_room(Steady::time_point now);

  asio::any_io_executor executor_;
  TokenStore& store_;
  const Clock& clock_;
  Options options_;
  std::unordered_map<TokenHash, Entry, HashOfHash> entries_;
};

}  // namespace waybill::api
