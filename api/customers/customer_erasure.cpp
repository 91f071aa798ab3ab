#include "api/customers/customer_erasure.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

#include "api/gate/idempotency.hpp"
#include "base/ascii.hpp"
#include "base/crypto.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/pause.hpp"
#include "net/mail_directory.hpp"
#include "net/sealed_mail.hpp"
#include "storage/sql/audit_log.sql.hpp"
#include "storage/sql/customer_erasures.sql.hpp"
#include "storage/sql/mail_outbox.sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::customer_erasures;
using Guids = std::span<const Guid>;

constexpr std::size_t portion_size = 200;                // records of a transaction
constexpr std::size_t run_portion_size = 500;            // records whose runs one statement erases
constexpr auto longest_wait = std::chrono::seconds(20);  // longer than an attempt of a webhook
constexpr Duration first_pause = std::chrono::milliseconds(50);
constexpr Duration longest_pause = std::chrono::milliseconds(500);

template <typename Work>
void for_portions(Guids records, std::size_t size, Work work) {
  while (!records.empty()) {
    const auto portion = records.first(std::min(size, records.size()));
    work(portion);
    records = records.subspan(portion.size());
  }
}

/// An answer without data, as the gate keeps it.
constexpr std::string_view empty_answer = R"({"data":null,"success":true})";

/// What an erasure has found and done.
struct Erasure {
  ErasedCounts counts;
  std::optional<std::string> email;
  std::vector<Guid> records;    // whose runs are to be erased
  std::int64_t last_event = 0;  // the last that can hold the old data
};

void delete_files(const ErasureTarget& target, const std::optional<std::string>& email) {
  if (email && !target.mail_directory.empty())
    net::delete_mails(target.mail_directory, target.business.to_string(), *email);
}

/// Erases everything but the runs.
class Eraser {
 public:
  Eraser(storage::Session& session, const SecretBox& secrets, const ErasureTarget& target)
      : session_(session), secrets_(secrets), target_(target) {}

  Erasure run() {
    session_.run(storage::sql::audit_log::SetAuthor{.cause = target_.cause});
    erase_person();
    const auto records = records_of_customer(session_, target_.business, target_.customer);
    counts_.orders = std::ssize(records.orders);
    counts_.shipments = std::ssize(records.shipments);
    erase_records<sql::EraseOrders>(records.orders);
    erase_records<sql::EraseShipments>(records.shipments);
    const auto all = records.with(target_.customer);
    erase_answers(all);
    // A run for several records has no record; it is erased whatever it lists.
    auto with_lists = all;
    with_lists.emplace_back();
    session_.run(sql::WaitForSchedules{.business = target_.business});
    return {.counts = counts_,
            .email = email_,
            .records = std::move(with_lists),
            .last_event = session_.run(sql::LastEvent{}).front().id};
  }

 private:
  void erase_person() {
    const auto& [business, customer, cause, directory] = target_;
    storage::Work work(session_);
    const auto rows = session_.run(sql::Lock{.business = business, .customer = customer});
    if (rows.empty()) throw not_found("customer");
    const auto person = rows.front();
    words_ = json::value_to<std::vector<std::string>>(json::parse(person.words));
    email_ = person.email;
    const std::string name(person.name);
    if (!person.is_erased) {
      session_.run(sql::EraseCustomer{.business = business, .customer = customer});
      session_.run(sql::DropNewEvents{.business = business, .records = Guids(&customer, 1)});
    }
    counts_.events += erase_events(Guids(&customer, 1));
    if (!person.is_erased) {
      session_.run(sql::AddEvent{.business = business, .customer = customer});
      session_.run(sql::EraseUploads{.business = business, .email = email_, .name = name});
      session_.run(sql::EraseImports{.business = business, .words = words_});
    }
    if (email_) {
      session_.run(sql::EraseVersions{.business = business, .email = *email_});
      delete_unsent_mails();
    }
    delete_files(target_, email_);
    work.commit();
  }

  std::int64_t erase_events(Guids records) {
    return session_.run(sql::EraseEvents{.business = target_.business, .records = records, .words = words_})
        .front()
        .events;
  }

  template <typename Statement>
  void erase_records(Guids records) {
    for_portions(records, portion_size, [&](Guids portion) {
      storage::Work work(session_);
      session_.run(Statement{.business = target_.business, .records = portion, .words = words_});
      session_.run(sql::DropNewEvents{.business = target_.business, .records = portion});
      counts_.events += erase_events(portion);
      work.commit();
    });
  }

  /// Mails of the business's users; messages of workflows are runs.
  void delete_unsent_mails() {
    const auto mails = session_.run(sql::Mails{.business = target_.business, .email = *email_});
    for (const auto& mail : mails) {
      const auto message = net::open_mail(secrets_, mail.guid, mail.sealed);
      const bool is_theirs = std::ranges::any_of(
          message.to, [&](const std::string& to) { return equal_ignoring_case(to, *email_); });
      if (is_theirs) session_.run(storage::sql::mail_outbox::Remove{.mail = mail.guid});
    }
  }

  void erase_answers(Guids records) {
    const auto answers = session_.run(sql::Answers{.business = target_.business, .records = records});
    for (const auto& answer : answers) {
      const auto purpose = kept_answer_purpose(answer.token, answer.key);
      session_.run(sql::EraseAnswer{.owner = answer.owner,
                                    .token = answer.token,
                                    .key = answer.key,
                                    .body = base64(secrets_.seal(empty_answer, purpose))});
    }
  }

  storage::Session& session_;
  const SecretBox& secrets_;
  const ErasureTarget& target_;
  std::vector<std::string> words_;
  std::optional<std::string> email_;
  ErasedCounts counts_;
};

/// Erases queued runs. Returns true if no live worker plans or performs a run with the old data. An event is
/// pending until its runs are recorded, so a run is in the queue, in flight, or its event is pending.
bool erase_queue(storage::Session& session, const ErasureTarget& target, Erasure& erasure) {
  std::int64_t open = 0;
  for_portions(erasure.records, run_portion_size, [&](Guids portion) {
    open += session
                .run(sql::Planned{
                    .business = target.business, .records = portion, .last_event = erasure.last_event})
                .front()
                .events;
  });
  for_portions(erasure.records, run_portion_size, [&](Guids portion) {
    const auto queue = session.run(sql::EraseQueue{.business = target.business, .records = portion}).front();
    erasure.counts.runs += queue.runs;
    open += queue.in_flight;
  });
  return open == 0;
}

void erase_runs(storage::Session& session, const ErasureTarget& target, Erasure& erasure) {
  for_portions(erasure.records, run_portion_size, [&](Guids portion) {
    erasure.counts.runs +=
        session.run(sql::EraseRuns{.business = target.business, .records = portion}).front().runs;
  });
  delete_files(target, erasure.email);
}

/// Returns the result of `work(session)` with a session that can write.
template <typename Work>
auto write(Analysis& analysis, const Guid& business, Work work) {
  return analysis.run(business, [work = std::move(work)](storage::Session& session) mutable {
    session.execute("set default_transaction_read_only = off");
    return work(session);
  });
}

}  // namespace

std::vector<Guid> CustomerRecords::with(const Guid& customer) const {
  std::vector<Guid> all{customer};
  all.insert(all.end(), orders.begin(), orders.end());
  all.insert(all.end(), shipments.begin(), shipments.end());
  return all;
}

CustomerRecords records_of_customer(storage::Session& session, const Guid& business, const Guid& customer) {
  CustomerRecords records;
  const auto rows = session.run(sql::Records{.business = business, .customer = customer});
  for (const auto& row : rows) (row.kind == 0 ? records.orders : records.shipments).push_back(row.guid);
  return records;
}

asio::awaitable<ErasedCounts> erase_customer(Analysis& analysis, const SecretBox& secrets,
                                             ErasureTarget target) {
  // The coroutine waits for each piece of work, so the references in it stay valid.
  Erasure erasure = co_await write(analysis, target.business, [&](storage::Session& session) {
    return Eraser(session, secrets, target).run();
  });
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  bool is_settled = false;
  for (Duration time = first_pause;; time = std::min(2 * time, longest_pause)) {
    is_settled = co_await write(analysis, target.business, [&](storage::Session& session) {
      return erase_queue(session, target, erasure);
    });
    if (is_settled || std::chrono::steady_clock::now() >= deadline) break;
    co_await pause(time);
  }
  co_await write(analysis, target.business, [&](storage::Session& session) {
    erase_runs(session, target, erasure);
    return true;
  });
  if (!is_settled) {
    throw Failure(ErrorCode::unavailable,
                  "The data is erased, but messages with it are still being sent; repeat the request.")
        .with_retry_after(std::chrono::seconds(10));
  }
  co_return erasure.counts;
}

}  // namespace waybill::api
