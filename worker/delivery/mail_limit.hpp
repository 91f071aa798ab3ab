#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/thread/loop.hpp"
#include "base/thread/mutex.hpp"
#include "net/mail/mail.hpp"
#include "worker/threads/thread_session.hpp"

namespace waybill::worker {

/// Passes messages to a mailer and limits the recipients per day of a business that registered itself and
/// still has that plan. They are counted in the database, for all workers together, on a dedicated thread. A
/// message beyond the limit ends as MailResult::limited, one that cannot be counted as not_attempted. If
/// another session has locked the count of a business, its messages are not_attempted for a second, so that
/// they do not delay those of others. The absence of a limit is cached for 10 s.
class MailLimit final : public net::Mailer {
 public:
  struct Options {
    std::string database_url;
    std::int64_t recipients_per_day = 0;
  };

  MailLimit(Options options, std::unique_ptr<net::Mailer> mailer);
  ~MailLimit() override { stop_at_once(); }

  void start() override;

 private:
  struct Waiting {
    net::MailMessage message;
    Done done;
  };
  /// The counted recipients of a message that was not delivered.
  struct Release {
    Guid business;
    std::string day;
    std::int32_t recipients;
  };

  using Work = std::function<void()>;

  void transmit(net::MailMessage message, Done done) override;
  /// Ends the messages that wait for their count, then those of the mailer.
  void end(Moment until) override;
  Loop::Wait turn();
  Work next();
  void count(Waiting waiting);
  void uncount(const Release& release);
  void uncount_again();
  bool is_locked(const Guid& business);
  void note_failure(const Guid& business, const std::exception& error);
  void send_counted(Waiting waiting, Release counted);
  void post(Work work);
  bool is_unlimited(const std::string& business);

  const Options options_;
  PlainThreadSession session_;                                                    // used by loop_ only
  std::unordered_map<Guid, std::chrono::steady_clock::time_point> locked_until_;  // used by loop_ only
  std::deque<Release> releases_;  // those that met a lock; used by loop_ only
  Mutex mutex_;
  std::deque<Work> work_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::chrono::steady_clock::time_point> unlimited_
      GUARDED_BY(mutex_);  // expiry by business
  std::unique_ptr<net::Mailer> mailer_;
  Loop loop_{ThreadKind::mail_limit, [this] { return turn(); }};
};

}  // namespace waybill::worker
