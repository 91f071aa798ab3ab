#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

namespace waybill::api {

namespace asio = boost::asio;

/// Counts the rows of lists. Equal counts that are requested while one runs wait for it to end and share the
/// next one, so every count begins after the requests that it serves and contains what was committed before
/// them. Remembers the order of magnitude of recent totals, never a total itself, and for a minute, which
/// businesses have most rows of a table. One for each io thread, used on it only.
class Totals {
 public:
  using Count = std::function<asio::awaitable<std::int64_t>()>;

  /// Totals from here on are counted apart from the page. Below, counting costs less than another statement.
  static constexpr std::int64_t large = 1000;

  enum class Size { unknown, small, large };

  /// The size of the last total of the rows that `key` names.
  Size last_size(const std::string& key) const;
  void remember(const std::string& key, std::int64_t total);

  /// True if most rows of a table are the business's. `key` names both. Returns nullopt if it is not known.
  std::optional<bool> holds_most(const std::string& key) const;
  void remember_holds_most(const std::string& key, bool holds_most);

  /// Returns the result of `count`, which may be called for this or for an equal call, so `key` names the
  /// rows and the commits that the count must show. An exception of `count` reaches all callers that share
  /// it.
  asio::awaitable<std::int64_t> count(std::string key, Count count);

 private:
  /// The callers that wait for one count.
  struct Round {
    std::deque<std::shared_ptr<asio::steady_timer>> waiting;
    std::optional<std::int64_t> total = {};
    std::exception_ptr error = nullptr;
    bool has_leader = false;
  };

  static asio::awaitable<void> wait(Round& round);
  asio::awaitable<void> run(const std::string& key, std::shared_ptr<Round> round, const Count& count);
  void begin_next(const std::string& key);

  struct Majority {
    bool holds_most;
    std::chrono::steady_clock::time_point until;
  };

  std::unordered_map<std::string, Size> sizes_;
  std::unordered_map<std::string, Majority> majorities_;
  std::unordered_map<std::string, std::shared_ptr<Round>> next_;  // an entry while a count of the key runs
};

}  // namespace waybill::api
