#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "api/threads/background.hpp"
#include "base/fair_queue.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/service.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// Hashes and compares passwords on one or two dedicated threads, so that no io thread waits for Argon2id.
/// Each thread uses 64 MiB while it hashes (`password_hash_bytes`), none while idle. Any io thread may call;
/// a coroutine resumes on its own executor.
class PasswordHasher final : public Service {
 public:
  /// Logins have a separate queue, and the two queues take turns: a login waits for at most one registration.
  enum class Purpose { login, other };

  /// Limits of one queue, and of one network in it; further requests are refused. The limit of the queue
  /// refuses only a network that has its share of it, so a few networks keep nobody out.
  static constexpr std::size_t most_waiting = 256;
  static constexpr std::size_t most_waiting_of_network = 64;

  /// The right to a thread until it is destroyed. There is one turn per thread, so that its holder is served
  /// at once, and few logins are counted but not yet decided.
  class Turn {
   public:
    explicit Turn(PasswordHasher& hasher) : hasher_(&hasher) {}
    ~Turn() {
      if (hasher_) hasher_->end_turn();
    }
    Turn(Turn&& other) noexcept : hasher_(std::exchange(other.hasher_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;

    /// Returns the Argon2id hash of the password.
    asio::awaitable<std::string> hash(std::string password) const;
    /// True if `hash` is the hash of the password. An empty hash means that the account does not exist: the
    /// same work is done, and the result is false.
    asio::awaitable<bool> matches(std::string password, std::string hash) const;

   private:
    PasswordHasher* hasher_;
  };

  PasswordHasher();

  /// Finishes running work.
  void stop(Moment until) override { threads_.stop(until); }

  /// Waits for a turn; the waiting networks (api/http/client_network.hpp) are served in rotation. Throws
  /// Failure (UNAVAILABLE) if too many requests wait.
  asio::awaitable<Turn> turn(Purpose purpose, std::string network);

 private:
  using Ticket = std::shared_ptr<asio::steady_timer>;  // cancelled when its turn comes

  using Queue = FairQueue<std::string, Ticket>;  // by network

  /// False if too many tickets of the network wait, or too many networks.
  static bool has_room(const Queue& queue, const std::string& network);
  void end_turn();

  const std::size_t thread_count_;
  Background threads_;
  Mutex mutex_;
  std::size_t turns_ GUARDED_BY(mutex_) = 0;
  std::array<Queue, 2> queues_ GUARDED_BY(mutex_);  // by Purpose
  std::size_t next_queue_ GUARDED_BY(mutex_) = 0;
};

}  // namespace waybill::api
