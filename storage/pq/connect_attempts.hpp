#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "storage/pq/steady_time.hpp"

namespace waybill::storage::pq {

/// The last connection of this process to a URL; all its channels share it. Thread-safe.
struct LastConnection {
  std::atomic<std::size_t> host = 0;       // its index in the URL
  std::atomic<SteadyTime> worked_at = {};  // time of the first answer of the latest that gave one
};
std::shared_ptr<LastConnection> last_connection(const std::string& url);

/// The attempts of one channel to connect: their hosts, and the pauses between them. An attempt tries each
/// host of the URL once, starting with the one that answered last. The pause after a failed attempt is 25 ms,
/// and doubles up to 1 s; a random part is subtracted. It ends early once another channel has its first
/// answer. A connection that worked may be reopened at once. One thread; `last` is shared.
class ConnectAttempts {
 public:
  /// `hosts` is the number of hosts of the URL, at least 1.
  ConnectAttempts(std::size_t hosts, std::shared_ptr<LastConnection> last);

  /// False during the pause after a failed attempt.
  bool may_begin(SteadyTime now) const { return now >= next_attempt_ || last_->worked_at.load() > begun_at_; }
  void begin(SteadyTime now);

  bool has_several_hosts() const { return hosts_ > 1; }
  /// The index of the current host in the URL.
  std::size_t host() const { return host_; }
  /// Chooses the next host of this attempt after the current one has failed. False if each was used.
  bool try_next_host();

  /// Notes the connection to the current host. Returns true if it is the first one since a loss.
  bool connected();
  /// Notes an answer of the server.
  void answered(SteadyTime now) {
    failures_ = 0;
    if (has_answered_) return;
    has_answered_ = true;
    last_->worked_at = now;
  }
  /// Notes the loss of the connection, or the end of an attempt without one. Returns true if it counts as a
  /// failed attempt, after which there is a pause. A connection that breaks before its first answer counts
  /// only from the second time on.
  bool lost(bool was_connecting, SteadyTime now);
  /// Forgets that the server has answered, as its connection is closed.
  void closed() { has_answered_ = false; }

 private:
  std::size_t hosts_;
  std::shared_ptr<LastConnection> last_;
  std::size_t host_ = 0;
  std::size_t used_hosts_ = 0;  // of this attempt, without the current one
  int failures_ = 0;            // since the last answer
  bool has_answered_ = false;   // the server has answered on this connection
  bool was_lost_ = false;
  SteadyTime begun_at_{};  // when the last attempt began
  SteadyTime next_attempt_{};
};

}  // namespace waybill::storage::pq
