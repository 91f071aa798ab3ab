#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/database_clock.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/mutex.hpp"
#include "domain/retry.hpp"
#include "net/http/http_client.hpp"
#include "net/mail/mail.hpp"
#include "storage/blocking/connection.hpp"

namespace waybill::worker {

/// Makes the messages of alerts whose window is over, and delivers them by mail and webhook, on a dedicated
/// thread and session. A message is claimed by one worker at a time; it is repeated on the schedule under the
/// same id, and leaves the database when it is delivered or given up. A crash repeats the attempts in flight.
/// A business has one attempt in flight on each channel, so a slow webhook delays only its own messages. A
/// message that another session has locked delays no others.
class AlertSender {
 public:
  struct Options {
    std::string database_url;
    std::string public_url;  // URL of the API, for requests that replay; relative ones if empty
    std::string mail_from;
    domain::RetrySchedule schedule = domain::RetrySchedule::standard();
    const Clock* clock = &database_clock();
  };

  /// `secrets`, `http` and `mailer` must be valid until `stop` has returned.
  AlertSender(Options options, const SecretBox& secrets, net::HttpClient& http, net::Mailer& mailer);
  /// Waits for the attempts in flight, which end when the HTTP client and the mailer are destroyed.
  ~AlertSender();
  AlertSender(const AlertSender&) = delete;
  AlertSender& operator=(const AlertSender&) = delete;

  /// Begins no further attempt. Any thread.
  void stop();

 private:
  struct Message;
  struct Result;
  using Channel = std::pair<Guid, bool>;  // business; true for mail

  void run();
  void turn(std::vector<Result>& results);
  bool settle(const Result& result);
  std::vector<Message> claim();
  void send(const Message& message);
  void send_webhook(const Message& message);
  void send_mail(const Message& message);
  void ended(Result result);

  const Options options_;
  const SecretBox& secrets_;
  net::HttpClient& http_;
  net::Mailer& mailer_;
  std::unique_ptr<storage::blocking::Connection> session_;  // used by thread_ only
  // Held while an attempt begins.
  Mutex sending_;
  Mutex mutex_ ACQUIRED_AFTER(sending_);
  Condition changed_;
  std::vector<Result> results_ GUARDED_BY(mutex_);  // results of attempts that ended
  std::set<Channel> in_flight_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;  // set with sending_, too
  std::thread thread_;
};

}  // namespace waybill::worker
