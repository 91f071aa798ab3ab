#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/secret_box.hpp"
#include "net/mail.hpp"
#include "storage/session.hpp"

namespace waybill::app {

/// Sends what is in the mail outbox, on a thread and a database session of its own. A mail gets there in the
/// transaction that gives cause for it and leaves when a server has it, so it outlives crashes and servers
/// that are away: it is tried after 5 s, 30 s, 2 min, 10 min, 30 min and then every hour, until it expires or
/// is refused for good. Each process that serves the API or works
/// has a mail sender, for both put mails there; of several, one takes a mail. A crash may send a mail
/// twice, under one Message-ID.
class MailSender {
 public:
  struct Options {
    std::string database_url;
    std::string from;
    net::MailOptions mail;
  };

  /// Throws like net::make_mailer.
  MailSender(Options options, const SecretBox& secrets);
  /// Calls what was posted, and leaves the rest to another mail sender or the next start.
  ~MailSender();
  MailSender(const MailSender&) = delete;
  MailSender& operator=(const MailSender&) = delete;

  /// Any thread. `tried` is called on the mail sender's thread once each mail that is due now was tried; it
  /// must not block.
  void post(std::function<void()> tried);

 private:
  struct Mail;

  void run();
  bool deliver_some();
  std::vector<Mail> claim();
  void send_all(std::vector<Mail>& mails);
  void settle(const Mail& mail);
  bool is_stopping();

  const Options options_;
  const SecretBox& secrets_;
  std::unique_ptr<net::Mailer> mailer_;  // of the thread
  std::optional<storage::Session> session_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> posted_;  // under mutex_
  std::size_t in_flight_ = 0;                  // under mutex_
  bool stopping_ = false;                      // under mutex_
  std::thread thread_;
};

}  // namespace waybill::app
