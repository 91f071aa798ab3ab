#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/loop.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/service.hpp"
#include "base/time_shares.hpp"
#include "net/mail/mail.hpp"
#include "worker/threads/thread_session.hpp"

namespace waybill::app {

/// Sends the mails of the mail outbox, on its own thread and database session. A mail enters the outbox in
/// the transaction that causes it and leaves it when a server has accepted it, so it survives crashes and
/// servers that are down: it is retried after 5 s, 30 s, 2 min, 10 min, 30 min and then every hour, until it
/// expires or is refused permanently. Four mails are sent at a time, at most three of one business, and the
/// business that has lately used the least time comes first. Each API and worker process has a mail sender; a
/// mail is claimed by one of them. A crash may send a mail twice, with the same Message-ID.
class MailSender final : public Service {
 public:
  struct Options {
    std::string database_url;
    std::string from;
    net::MailOptions mail;
  };

  /// Throws like net::make_mailer.
  MailSender(Options options, const SecretBox& secrets);
  ~MailSender() override;

  void start() override { loop_.start(); }
  /// Ends the mails in flight, stores how they ended, runs the posted callbacks, and leaves the other mails
  /// to another mail sender or the next start.
  void stop(Moment until) override;

  /// Calls `done` on the mail sender's thread, or on that which stops it, after one attempt at each mail that
  /// is due now; `done` must not block. Any thread, until `stop` has returned.
  void post(std::function<void()> done);

 private:
  struct Mail;

  using MailPtr = std::shared_ptr<Mail>;

  Loop::Wait turn();
  Duration failed(const std::exception& error);
  void take_posted();
  void call_waiting();
  std::vector<MailPtr> claim();
  std::optional<net::MailMessage> open(Mail& mail) const;
  void send(const MailPtr& mail);
  void ended(const MailPtr& mail);
  void settle_ended();
  void settle(const Mail& mail);
  bool delay_refused(const Mail& mail);

  const Options options_;
  const SecretBox& secrets_;
  std::unique_ptr<net::Mailer> mailer_;  // used by loop_ only, like the next four
  worker::PlainThreadSession session_;
  std::vector<std::function<void()>> waiting_;       // posted, called when no due mail is left
  TimeShares<Guid> shares_;                          // of businesses; nil: mails without one
  std::unordered_map<Guid, std::size_t> in_flight_;  // by business
  Mutex mutex_;
  std::vector<std::function<void()>> posted_ GUARDED_BY(mutex_);
  std::vector<MailPtr> ended_ GUARDED_BY(mutex_);  // with their outcome
  Loop loop_;
};

}  // namespace waybill::app
