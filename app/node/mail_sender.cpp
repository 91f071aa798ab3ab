#include "app/node/mail_sender.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/observe.hpp"
#include "net/mail/sealed_mail.hpp"
#include "storage/sql/mail_outbox.sql.hpp"

namespace waybill::app {
namespace {

using namespace std::chrono_literals;

constexpr auto poll_interval = 5s;  // for mails to retry and mails that another process left
// The connections of a mailer, so that no claimed mail waits for one.
constexpr std::size_t places = 4;
constexpr std::size_t places_of_business = places - 1;
constexpr auto half_life = 1min;
constexpr auto delays = std::to_array<std::chrono::seconds>({5s, 30s, 2min, 10min, 30min, 1h});

std::chrono::seconds delay_after(std::int32_t attempts) {
  const auto index = std::clamp<std::int64_t>(attempts - 1, 0, std::ssize(delays) - 1);
  return delays[static_cast<std::size_t>(index)];
}

}  // namespace

/// A claimed mail and the outcome of its attempt.
struct MailSender::Mail {
  Guid guid;
  Guid business;  // nil: none
  Bytes sealed;
  std::int32_t attempts = 0;
  bool is_expired = false;
  std::chrono::steady_clock::time_point began;
  std::chrono::steady_clock::time_point end = {};
  net::MailOutcome outcome = {};
};

MailSender::MailSender(Options options, const SecretBox& secrets)
    : options_(std::move(options)),
      secrets_(secrets),
      mailer_(net::make_mailer(options_.mail)),
      session_(options_.database_url, "waybill mail"),
      shares_(half_life),
      loop_(
          ThreadKind::account_mails, [this] { return turn(); },
          [this](const std::exception& error) { return failed(error); }) {}

MailSender::~MailSender() { stop_at_once(); }

void MailSender::stop(Moment until) {
  if (!loop_.is_started()) return;
  loop_.stop();
  mailer_->stop(until);  // calls the remaining callbacks
  try {
    settle_ended();
  } catch (const std::exception& error) {  // the claims end, and another mail sender sends them
    failed(error);
  }
  take_posted();
  call_waiting();
}

void MailSender::post(std::function<void()> done) {
  {
    const Lock lock(mutex_);
    posted_.push_back(std::move(done));
  }
  loop_.wake();
}

/// Stores the outcomes of mails that ended and fills the free places. The next turn comes when a mail ends.
Loop::Wait MailSender::turn() {
  take_posted();
  session_.open();
  settle_ended();
  for (auto mails = claim(); !mails.empty(); mails = claim()) {
    for (const MailPtr& mail : mails) send(mail);
  }
  if (in_flight_.empty()) call_waiting();
  return {poll_interval};
}

Duration MailSender::failed(const std::exception& error) {
  observe(Observable::statement_failed,
          {{"statement", "mail_outbox"}, {"error", std::string_view(error.what())}});
  session_.close();
  call_waiting();
  return poll_interval;
}

void MailSender::take_posted() {
  const Lock lock(mutex_);
  std::ranges::move(std::exchange(posted_, {}), std::back_inserter(waiting_));
}

void MailSender::call_waiting() {
  for (const auto& done : std::exchange(waiting_, {})) done();
}

std::vector<MailSender::MailPtr> MailSender::claim() {
  std::size_t used = 0;
  std::vector<Guid> busy;
  for (const auto& [business, count] : in_flight_) {
    used += count;
    if (count >= places_of_business) busy.push_back(business);
  }
  std::vector<MailPtr> mails;
  if (used >= places || !session_->run(sql::mail_outbox::IsDue{}).front().is_due) return mails;
  const auto now = std::chrono::steady_clock::now();
  const auto claimed = session_->run(sql::mail_outbox::Claim{
      .limit = static_cast<std::int64_t>(places - used), .users = shares_.above(1ms, now), .busy = busy});
  for (const auto& mail : claimed) {
    ++in_flight_[mail.business];
    mails.push_back(std::make_shared<Mail>(Mail{.guid = mail.guid,
                                                .business = mail.business,
                                                .sealed = mail.sealed,
                                                .attempts = mail.attempts,
                                                .is_expired = mail.is_expired,
                                                .began = now}));
  }
  return mails;
}

/// Returns the message of a mail, or nullopt and sets the mail's outcome.
std::optional<net::MailMessage> MailSender::open(Mail& mail) const {
  try {
    auto message = net::open_mail(secrets_, mail.guid, mail.sealed);
    message.from = net::named_sender(options_.from, message.sender_name);
    message.message_id = net::message_id(mail.guid.to_string(), options_.from);
    message.owner = mail.business.to_string();
    return message;
  } catch (const SecretError& error) {
    mail.outcome = {net::MailResult::permanent, error.what()};
  } catch (const std::exception& error) {
    // A mail of a newer version, whose processes can read it.
    mail.outcome = {net::MailResult::temporary, std::string("The mail cannot be read: ") + error.what()};
  }
  return std::nullopt;
}

void MailSender::send(const MailPtr& mail) {
  if (mail->is_expired) {
    mail->outcome = {net::MailResult::permanent, "It could not be sent in time."};
    return ended(mail);
  }
  auto message = open(*mail);
  if (!message) return ended(mail);
  mailer_->send(*std::move(message), [this, mail](net::MailOutcome outcome) {
    mail->outcome = std::move(outcome);
    ended(mail);
  });
}

void MailSender::ended(const MailPtr& mail) {
  mail->end = std::chrono::steady_clock::now();
  {
    const Lock lock(mutex_);
    ended_.push_back(mail);
  }
  loop_.wake();
}

/// Stores the outcomes of mails that ended. One that cannot be stored is tried again.
void MailSender::settle_ended() {
  for (;;) {
    MailPtr mail;
    {
      const Lock lock(mutex_);
      if (ended_.empty()) return;
      mail = ended_.back();
    }
    session_.open();
    settle(*mail);
    shares_.add(mail->business, mail->end - mail->began, mail->end);
    const auto count = in_flight_.find(mail->business);
    if (--count->second == 0) in_flight_.erase(count);
    const Lock lock(mutex_);
    std::erase(ended_, mail);
  }
}

void MailSender::settle(const Mail& mail) {
  const net::MailResult result = mail.outcome.result;
  const std::string& reply = mail.outcome.reply;
  const auto name = mail.guid.to_string();
  if (result == net::MailResult::temporary || result == net::MailResult::not_attempted) {
    observe(Observable::mail_delayed, {{"mail", name}, {"attempt", mail.attempts}, {"reply", reply}});
    session_->run(sql::mail_outbox::Delay{.mail = mail.guid, .seconds = delay_after(mail.attempts).count()});
    return;
  }
  if (delay_refused(mail)) return;
  const bool was_sent = result == net::MailResult::sent;
  observe(was_sent ? Observable::mail_sent : Observable::mail_lost,
          {{"mail", name}, {"attempt", mail.attempts}, {"reply", reply}});
  session_->run(sql::mail_outbox::Remove{.mail = mail.guid});
}

/// Delays a mail for the recipients that the server refused for now, while it accepted others. Returns false
/// if there are none.
bool MailSender::delay_refused(const Mail& mail) {
  std::vector<std::string> remaining;
  for (const auto& refusal : mail.outcome.refused) {
    observe(refusal.is_final ? Observable::mail_lost : Observable::mail_delayed,
            {{"mail", mail.guid.to_string()}, {"attempt", mail.attempts}, {"reply", refusal.reply}});
    if (!refusal.is_final) remaining.push_back(refusal.to);
  }
  if (remaining.empty()) return false;
  auto message = net::open_mail(secrets_, mail.guid, mail.sealed);
  message.remaining = std::move(remaining);
  session_->run(sql::mail_outbox::KeepRemaining{.mail = mail.guid,
                                                .sealed_mail = net::sealed_mail(secrets_, mail.guid, message),
                                                .seconds = delay_after(mail.attempts).count()});
  return true;
}

}  // namespace waybill::app
