#include "api/customers/customer_erasure.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "api/customers/left_records.hpp"
#include "api/gate/idempotency.hpp"
#include "base/ascii.hpp"
#include "base/crypto.hpp"
#include "base/error.hpp"
#include "base/pause.hpp"
#include "net/mail/mail_directory.hpp"
#include "net/mail/sealed_mail.hpp"
#include "storage/runs/run.hpp"
#include "storage/sql/audit_log.sql.hpp"
#include "storage/sql/customer_erasures.sql.hpp"
#include "storage/sql/mail_outbox.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::customer_erasures;

constexpr std::size_t portion_size = 200;                // records of a transaction
constexpr std::size_t run_portion_size = 500;            // records whose runs one statement erases
constexpr auto longest_wait = std::chrono::seconds(20);  // longer than an attempt of a webhook
constexpr Duration first_pause = std::chrono::milliseconds(50);
constexpr Duration longest_pause = std::chrono::milliseconds(500);

/// An answer without data, as the gate keeps it.
constexpr std::string_view empty_answer = R"({"data":null,"success":true})";

/// The findings and the counts of an erasure.
struct Erasure {
  ErasedCounts counts;
  std::vector<std::string> emails;  // of the person
  std::vector<Guid> records;        // whose runs are to be erased
  LeftRecords left;                 // likewise, as far as the runs are of their times
  std::int64_t last_event = 0;      // the last that can hold the old data
};

void delete_files(const ErasureTarget& target, std::span<const std::string> emails) {
  if (!emails.empty() && !target.mail_directory.empty())
    net::delete_mails(target.mail_directory, target.business.to_string(), emails);
}

/// Erases everything but the runs.
class Eraser {
 public:
  Eraser(storage::Session& session, const SecretBox& secrets, const ErasureTarget& target)
      : session_(session), secrets_(secrets), target_(target) {}

  Erasure run() {
    session_.run(storage::sql::audit_log::SetAuthor{.cause = target_.cause});
    lock_person();
    const auto unlinked = unlinked_shipments(session_, target_.business, person_);
    read_words(unlinked);
    erase_records<sql::EraseShipments>(unlinked);
    erase_person();
    const auto records = records_of_customer(session_, target_.business, target_.customer);
    counts_.orders = std::ssize(records.orders);
    counts_.shipments = std::ssize(records.shipments);
    erase_records<sql::EraseOrders>(records.orders);
    erase_records<sql::EraseShipments>(records.shipments);
    auto left = left_records(session_, target_.business, target_.customer, records);
    erase_left(left);
    const auto all = records.with(target_.customer);
    erase_answers(all, left);
    // A run for a list of records is erased whatever it lists.
    auto with_lists = all;
    with_lists.push_back(storage::no_record);
    session_.run(sql::WaitForSchedules{.business = target_.business});
    return {.counts = counts_,
            .emails = person_.emails,
            .records = std::move(with_lists),
            .left = std::move(left),
            .last_event = session_.run(sql::LastEvent{}).front().id};
  }

 private:
  /// Reads the person's texts. Returns true if the customer is erased.
  bool lock_person() {
    const auto& [business, customer, cause, directory] = target_;
    const auto rows = session_.run(sql::Lock{.business = business, .customer = customer});
    if (rows.empty()) throw not_found("customer");
    const bool is_erased = rows.front().is_erased;
    person_ = person_of_customer(session_, business, customer);
    return is_erased;
  }

  void read_words(Guids unlinked) {
    auto records = records_of_customer(session_, target_.business, target_.customer);
    records.shipments.insert(records.shipments.end(), unlinked.begin(), unlinked.end());
    const auto rows = session_.run(sql::RecordWords{
        .business = target_.business, .orders = records.orders, .shipments = records.shipments});
    words_ = person_.words;
    for (const auto& row : rows) words_.emplace_back(row.word);
    const auto left = left_records(session_, target_.business, target_.customer, records);
    if (left.guids.empty()) return;
    const auto left_words = session_.run(sql::LeftWords{.business = target_.business,
                                                        .records = left.guids,
                                                        .firsts = storage::binary_array(left.firsts),
                                                        .lasts = storage::binary_array(left.lasts)});
    for (const auto& row : left_words) words_.emplace_back(row.word);
  }

  void erase_person() {
    const auto& [business, customer, cause, directory] = target_;
    storage::Work work(session_);
    const bool is_erased = lock_person();
    if (!is_erased) {
      session_.run(sql::EraseCustomer{.business = business, .customer = customer});
      session_.run(sql::DropNewEvents{.business = business, .records = Guids(&customer, 1)});
    }
    counts_.events += erase_events({.guids = Guids(&customer, 1)});
    if (!is_erased) {
      session_.run(sql::AddEvent{.business = business, .customer = customer});
      session_.run(sql::EraseUploads{.business = business, .emails = person_.emails, .names = person_.names});
      session_.run(sql::EraseImports{.business = business, .words = person_.words});
      erase_other_answers();
    }
    if (!person_.emails.empty()) {
      session_.run(sql::EraseVersions{.business = business, .emails = person_.emails});
      delete_unsent_mails();
    }
    delete_files(target_, person_.emails);
    work.commit();
  }

  std::int64_t erase_events(const Records& records) {
    return session_
        .run(sql::EraseEvents{.business = target_.business,
                              .records = records.guids,
                              .words = words_,
                              .firsts = storage::binary_array(records.firsts),
                              .lasts = storage::binary_array(records.lasts)})
        .front()
        .events;
  }

  template <typename Statement>
  void erase_records(Guids records) {
    for_portions({.guids = records}, portion_size, [&](const Records& portion) {
      storage::Work work(session_);
      if constexpr (std::is_same_v<Statement, sql::EraseShipments>) {
        session_.run(Statement{.business = target_.business,
                               .records = portion.guids,
                               .words = words_,
                               .customer = target_.customer});
      } else {
        session_.run(Statement{.business = target_.business, .records = portion.guids, .words = words_});
      }
      session_.run(sql::DropNewEvents{.business = target_.business, .records = portion.guids});
      counts_.events += erase_events(portion);
      work.commit();
    });
  }

  /// The records themselves belong to somebody else.
  void erase_left(const LeftRecords& left) {
    for_portions(left.all(), portion_size, [&](const Records& portion) {
      storage::Work work(session_);
      session_.run(
          sql::EraseLeftTraces{.business = target_.business, .records = portion.guids, .words = words_});
      counts_.events += erase_events(portion);
      work.commit();
    });
  }

  /// Mails of the business's users; messages of workflows are runs.
  void delete_unsent_mails() {
    const auto mails = session_.run(sql::Mails{.business = target_.business, .emails = person_.emails});
    for (const auto& mail : mails) {
      const auto message = net::open_mail(secrets_, mail.guid, mail.sealed);
      const bool is_theirs = std::ranges::any_of(message.to, [&](const std::string& to) {
        return std::ranges::find(person_.emails, ascii_lower(to)) != person_.emails.end();
      });
      if (is_theirs) session_.run(storage::sql::mail_outbox::Remove{.mail = mail.guid});
    }
  }

  void erase_answers(Guids records, const LeftRecords& left) {
    const auto answers = session_.run(sql::Answers{.business = target_.business,
                                                   .records = records,
                                                   .session_owner = owner_of_sessions,
                                                   .left_records = left.guids,
                                                   .lasts = storage::binary_array(left.lasts)});
    for (const auto& answer : answers) erase_answer(answer);
  }

  /// Erases kept answers that are found by their text alone: those of previews and tests of workflows, whose
  /// paths name no record.
  void erase_other_answers() {
    Guid token;
    std::string key;
    for (;;) {
      const auto page = session_.run(sql::OtherAnswers{.business = target_.business,
                                                       .after_token = token,
                                                       .after_key = key,
                                                       .session_owner = owner_of_sessions});
      if (page.empty()) return;
      std::vector<std::string> bodies;
      for (const auto& answer : page) {
        const auto sealed = base64_decode(answer.body);
        if (!sealed) throw SecretError("a kept answer is not base64");
        bodies.push_back(secrets_.open(*sealed, kept_answer_purpose(answer.token, answer.key)));
      }
      const auto found = session_.run(sql::FindPerson{.answers = bodies, .words = words_});
      for (const auto& row : found) erase_answer(page[static_cast<int>(row.place) - 1]);
      const auto last = page[page.size() - 1];
      token = last.token;
      key = last.key;
    }
  }

  void erase_answer(const auto& answer) {
    const auto purpose = kept_answer_purpose(answer.token, answer.key);
    session_.run(sql::EraseAnswer{.owner = answer.owner,
                                  .token = answer.token,
                                  .key = answer.key,
                                  .body = base64(secrets_.seal(empty_answer, purpose))});
  }

  storage::Session& session_;
  const SecretBox& secrets_;
  const ErasureTarget& target_;
  Person person_;
  std::vector<std::string> words_;  // of the person, and of the person's orders and shipments
  ErasedCounts counts_;
};

/// Calls `work` for portions of the records whose runs are to be erased.
template <typename Work>
void for_all_portions(const Erasure& erasure, Work work) {
  for_portions({.guids = erasure.records}, run_portion_size, work);
  for_portions(erasure.left.all(), run_portion_size, work);
}

/// Erases queued runs. Returns true if no live worker plans or performs a run with the old data. An event is
/// pending until its runs are recorded, so a run is in the queue, in flight, or its event is pending.
bool erase_queue(storage::Session& session, const ErasureTarget& target, Erasure& erasure) {
  std::int64_t open = 0;
  for_all_portions(erasure, [&](const Records& portion) {
    open += session
                .run(sql::Planned{
                    .business = target.business, .records = portion.guids, .last_event = erasure.last_event})
                .front()
                .events;
  });
  for_all_portions(erasure, [&](const Records& portion) {
    const auto queue = session
                           .run(sql::EraseQueue{.business = target.business,
                                                .records = portion.guids,
                                                .no_record = storage::no_record,
                                                .firsts = storage::binary_array(portion.firsts),
                                                .lasts = storage::binary_array(portion.lasts)})
                           .front();
    erasure.counts.runs += queue.runs;
    open += queue.in_flight;
  });
  return open == 0;
}

void erase_runs(storage::Session& session, const ErasureTarget& target, Erasure& erasure) {
  for_all_portions(erasure, [&](const Records& portion) {
    erasure.counts.runs += session
                               .run(sql::EraseRuns{.business = target.business,
                                                   .records = portion.guids,
                                                   .no_record = storage::no_record,
                                                   .firsts = storage::binary_array(portion.firsts),
                                                   .lasts = storage::binary_array(portion.lasts)})
                               .front()
                               .runs;
  });
  delete_files(target, erasure.emails);
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

Person person_of_customer(storage::Session& session, const Guid& business, const Guid& customer) {
  Person person;
  const auto rows = session.run(sql::Person{.business = business, .customer = customer});
  for (const auto& row : rows) {
    if (row.is_word) person.words.emplace_back(row.value);
    if (row.kind == "name") person.names.emplace_back(row.value);
    if (row.kind == "email") person.emails.emplace_back(row.value);
  }
  return person;
}

std::vector<Guid> unlinked_shipments(storage::Session& session, const Guid& business, const Person& person) {
  std::vector<Guid> shipments;
  const auto rows = session.run(sql::UnlinkedShipments{.business = business, .emails = person.emails});
  for (const auto& row : rows) shipments.push_back(row.guid);
  return shipments;
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
