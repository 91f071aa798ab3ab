#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "base/clock.hpp"
#include "net/mail.hpp"
#include "storage/session.hpp"

namespace waybill::worker {

/// Hands messages on to a mailer, but no more than so many recipients a day of a business that registered
/// itself and has no other plan since. Counted in the database, for all workers together, on a thread of its
/// own. A message beyond the limit ends as MailResult::limited; one that cannot be counted as not_tried. A
/// business without a limit is asked for once in ten seconds.
class MailLimit final : public net::Mailer {
 public:
  struct Options {
    std::string database_url;
    std::int64_t recipients_per_day = 0;
  };

  MailLimit(Options options, std::unique_ptr<net::Mailer> mailer);
  ~MailLimit() override;

 private:
  struct Waiting {
    net::MailMessage message;
    Done done;
  };
  /// Recipients that were counted for a message that nobody got.
  struct Release {
    std::string business, day;
    std::int64_t recipients;
  };

  void transmit(net::MailMessage message, Done done) override;
  void run();
  void count(Waiting waiting);
  void give_back(const Release& release);
  storage::Session& session();
  /// Sends a message that was counted.
  void send_counted(Waiting waiting, Release counted);
  void post(std::function<void()> work);
  bool is_unlimited(const std::string& business);
  bool is_ending();

  const Options options_;
  std::unique_ptr<storage::Session> session_;  // of the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;  // under mutex_
  std::unordered_map<std::string, std::chrono::steady_clock::time_point>
      unlimited_;        // until when; under mutex_
  bool ending_ = false;  // under mutex_
  std::unique_ptr<net::Mailer> mailer_;
  std::thread thread_;
};

}  // namespace waybill::worker
