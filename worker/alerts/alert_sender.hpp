#pragma once

#include <cstddef>
#include <exception>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/database_clock.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/loop.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/service.hpp"
#include "domain/workflows/retry.hpp"
#include "net/http/http_client.hpp"
#include "net/mail/mail.hpp"
#include "worker/alerts/silence_causes.hpp"
#include "worker/threads/thread_session.hpp"

namespace waybill::worker {

/// Makes the messages of alerts whose window is over, and delivers them by mail and webhook, on a dedicated
/// thread and session. A message is claimed by one worker at a time; it is repeated on the schedule under the
/// same id, and leaves the database when it is delivered or given up. A crash repeats the attempts in flight.
/// A business has one attempt in flight on each channel, so a slow webhook delays only its own messages. A
/// message that another session has locked delays no others.
class AlertSender final : public Service {
 public:
  struct Options {
    std::string database_url;
    std::string public_url;  // URL of the API, for requests that replay; relative ones if empty
    std::string mail_from;
    domain::RetrySchedule schedule = domain::RetrySchedule::standard();
    const Clock* clock = &database_clock();
  };

  /// `secrets`, `http` and `mailer` must be valid until `stop_accepting` has returned.
  AlertSender(Options options, const SecretBox& secrets, net::HttpClient& http, net::Mailer& mailer);
  ~AlertSender() override;

  void start() override { loop_.start(); }
  /// Begins no further attempt.
  void stop_accepting() override;
  /// Waits for the attempts in flight, which end when the HTTP client and the mailer stop, and stores their
  /// results.
  void stop(Moment until) override;

 private:
  struct Message;
  struct Result;
  using Channel = std::pair<Guid, bool>;  // business; true for mail

  Loop::Wait turn();
  Duration failed(const std::exception& error);
  void settle_all();
  void claim_and_send();
  bool settle(const Result& result);
  std::vector<Message> claim();
  void send_explained(Message& message);
  void send(const Message& message);
  void send_webhook(const Message& message);
  void send_mail(const Message& message);
  void ended(Result result);

  const Options options_;
  const SecretBox& secrets_;
  net::HttpClient& http_;
  net::Mailer& mailer_;
  PlainThreadSession session_;  // used by loop_ only, as is the next one
  SilenceCauses causes_;
  // Held while an attempt begins.
  Mutex sending_;
  Mutex mutex_ ACQUIRED_AFTER(sending_);
  Condition all_ended_;                             // nothing is in flight
  std::vector<Result> results_ GUARDED_BY(mutex_);  // results of attempts that ended
  std::set<Channel> in_flight_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;  // set with sending_, too
  Loop loop_;
};

}  // namespace waybill::worker
