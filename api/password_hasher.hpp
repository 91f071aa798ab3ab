#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "api/background.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// Hashes and compares passwords on one or two threads of its own, so that no io thread waits for Argon2id.
/// Each thread takes 64 MiB while it works (`password_hash_bytes`): 128 MiB with two, nothing when nobody
/// logs in. Any io thread may call; a coroutine resumes on its own.
class PasswordHasher {
 public:
  /// How many may wait for a turn; one more is refused.
  static constexpr std::size_t most_waiting = 64;

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

  /// Throws Failure (UNAVAILABLE) when too many wait.
  asio::awaitable<Turn> turn();

 private:
  void end_turn();

  const std::size_t thread_count_;
  Background threads_;
  std::mutex mutex_;
  std::size_t turns_ = 0;                                    // under mutex_
  std::deque<std::shared_ptr<asio::steady_timer>> waiting_;  // under mutex_; cancelled when it is their turn
};

}  // namespace waybill::api
