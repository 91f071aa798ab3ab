#include "worker/delivery/mail_limit.hpp"

#include <utility>
#include <vector>

#include "storage/sql/business_mails.sql.hpp"

namespace waybill::worker {
namespace {

constexpr auto unlimited_lifetime = std::chrono::seconds(10);
constexpr std::size_t max_unlimited = 10'000;
constexpr Duration lock_pause = std::chrono::seconds(1);
// Short, because the mails of all businesses wait for these locks.
constexpr storage::SessionLimits limits{.lock = std::chrono::milliseconds(100),
                                        .idle_in_transaction = storage::worker_limits.idle_in_transaction};

std::vector<std::string> addresses_of(const net::MailMessage& message) {
  std::vector<std::string> addresses;
  for (const auto& recipient : message.recipients()) {
    const auto mailbox = net::parse_mailbox(recipient);
    addresses.push_back(mailbox ? mailbox->address : recipient);
  }
  return addresses;
}

}  // namespace

MailLimit::MailLimit(Options options, std::unique_ptr<net::Mailer> mailer)
    : options_(std::move(options)),
      session_(options_.database_url, "waybill mails", {}, limits),
      mailer_(std::move(mailer)) {}

void MailLimit::start() {
  mailer_->start();
  loop_.start();
}

void MailLimit::end(Moment until) {
  loop_.stop();
  while (const Work work = next()) work();
  mailer_->stop(until);
}

void MailLimit::transmit(net::MailMessage message, Done done) {
  if (is_unlimited(message.owner)) return mailer_->send(std::move(message), std::move(done));
  const auto waiting = std::make_shared<Waiting>(Waiting{std::move(message), std::move(done)});
  post([this, waiting] { count(std::move(*waiting)); });
}

bool MailLimit::is_unlimited(const std::string& business) {
  const Lock lock(mutex_);
  const auto known = unlimited_.find(business);
  return known != unlimited_.end() && std::chrono::steady_clock::now() < known->second;
}

void MailLimit::post(Work work) {
  {
    const Lock lock(mutex_);
    work_.push_back(std::move(work));
  }
  loop_.wake();
}

Loop::Wait MailLimit::turn() {
  if (const Work work = next()) {
    work();
    return {};
  }
  uncount_again();
  return {releases_.empty() ? Loop::until_woken : lock_pause};
}

/// Takes the next work; none if nothing is left.
MailLimit::Work MailLimit::next() {
  const Lock lock(mutex_);
  if (work_.empty()) return nullptr;
  Work work = std::move(work_.front());
  work_.pop_front();
  return work;
}

void MailLimit::count(Waiting waiting) {
  const std::string business = waiting.message.owner;
  if (is_stopping()) return waiting.done({net::MailResult::temporary, "The mailer was stopped."});
  const Guid guid = Guid::parse(business).value_or(Guid());
  if (is_locked(guid)) return waiting.done({net::MailResult::not_attempted, "The count is locked."});
  storage::ResultOf<sql::business_mails::Count, pqxx::result> counts;
  try {
    session_.open();
    counts = session_->run(sql::business_mails::Count{.business = guid,
                                                      .addresses = addresses_of(waiting.message),
                                                      .allowed_per_day = options_.recipients_per_day});
  } catch (const std::exception& error) {
    note_failure(guid, error);
    return waiting.done({net::MailResult::not_attempted, "The recipients could not be counted."});
  }
  const auto count = counts.front();
  if (!count.is_limited) {
    {
      const Lock lock(mutex_);
      if (unlimited_.size() >= max_unlimited) unlimited_.clear();
      unlimited_[business] = std::chrono::steady_clock::now() + unlimited_lifetime;
    }
    return mailer_->send(std::move(waiting.message), std::move(waiting.done));
  }
  if (!count.is_counted) {
    net::MailOutcome refused{net::MailResult::limited, "The business's plan allows " +
                                                           std::to_string(options_.recipients_per_day) +
                                                           " recipients a day who are not its users."};
    refused.retry_after = std::chrono::seconds(count.seconds_left);
    return waiting.done(std::move(refused));
  }
  send_counted(std::move(waiting), {guid, std::string(count.day), count.recipients});
}

void MailLimit::send_counted(Waiting waiting, Release counted) {
  mailer_->send(std::move(waiting.message), [this, done = std::move(waiting.done),
                                             counted = std::move(counted)](const net::MailOutcome& outcome) {
    if (outcome.result != net::MailResult::sent) post([this, counted] { uncount(counted); });
    done(outcome);
  });
}

void MailLimit::uncount(const Release& release) {
  if (is_locked(release.business)) return releases_.push_back(release);
  try {
    session_.open();
    session_->run(sql::business_mails::Release{
        .business = release.business, .day = release.day, .recipients = release.recipients});
  } catch (const std::exception& error) {
    // A release that met a lock is repeated. After another failure the recipients stay counted for the day.
    note_failure(release.business, error);
    if (is_locked(release.business)) releases_.push_back(release);
  }
}

/// Repeats the releases that met a lock.
void MailLimit::uncount_again() {
  for (const Release& release : std::exchange(releases_, {})) uncount(release);
}

/// True if the count of a business was locked a moment ago.
bool MailLimit::is_locked(const Guid& business) {
  const auto found = locked_until_.find(business);
  if (found == locked_until_.end()) return false;
  if (std::chrono::steady_clock::now() < found->second) return true;
  locked_until_.erase(found);
  return false;
}

void MailLimit::note_failure(const Guid& business, const std::exception& error) {
  session_.failed(error);
  if (session_.is_open()) locked_until_[business] = std::chrono::steady_clock::now() + lock_pause;
}

}  // namespace waybill::worker
