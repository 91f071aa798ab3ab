#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "api/threads/background.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// Hashes and compares passwords on one or two threads of its own, so that no io thread waits for Argon2id.
/// Each thread takes 64 MiB while it works (`password_hash_bytes`): 128 MiB with two, nothing when nobody
/// logs in. Any io thread may call; a coroutine resumes on its own.
class PasswordHasher {
 public:
  /// Logins wait apart from everything else, and the two lines take turns: a login waits for one
  /// registration, however many there are.
  enum class Purpose { login, other };

  /// How many may wait in one line, and how many of one network; one more is refused.
  static constexpr std::size_t most_waiting = 256;
  static constexpr std::size_t most_waiting_of_network = 64;

  /// The right to a thread until it is destroyed. There are as many as threads, so that whoever has one may
  /// count on being served at once, and few logins are between being counted and being judged.
  class Turn {
   public:
    explicit Turn(PasswordHasher& hasher) : hasher_(&hasher) {}
    ~Turn() {
      if (hasher_) hasher_->end_turn();
    }
    Turn(Turn&& other) noexcept : hasher_(std::exchange(other.hasher_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;

    /// Argon2id of the password.
    asio::awaitable<std::string> hash(std::string password) const;
    /// Whether `hash` is of the password. An empty hash stands for an account that does not exist: the same
    /// work is done, and the answer is no.
    asio::awaitable<bool> matches(std::string password, std::string hash) const;

   private:
    PasswordHasher* hasher_;
  };

  PasswordHasher();
  PasswordHasher(const PasswordHasher&) = delete;
  PasswordHasher& operator=(const PasswordHasher&) = delete;

  /// The networks that wait (api/http/failure_limit.hpp) take turns. Throws Failure (UNAVAILABLE) when too
  /// many wait.
  asio::awaitable<Turn> turn(Purpose purpose, std::string network);

 private:
  using Ticket = std::shared_ptr<asio::steady_timer>;  // cancelled when its turn has come

  class Line {
   public:
    /// False when too many wait.
    bool push(const std::string& network, const Ticket& ticket);
    /// The next ticket; null when nobody waits.
    Ticket pop();

   private:
    std::unordered_map<std::string, std::deque<Ticket>> tickets_;  // by network; none is empty
    std::deque<std::string> networks_;                             // in the order of their turns
    std::size_t size_ = 0;
  };

  void end_turn();

  const std::size_t thread_count_;
  Background threads_;
  std::mutex mutex_;
  // Under mutex_:
  std::size_t turns_ = 0;
  std::array<Line, 2> lines_;  // by Purpose
  std::size_t next_line_ = 0;
};

}  // namespace waybill::api
