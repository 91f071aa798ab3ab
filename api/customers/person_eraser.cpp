#include "api/customers/person_eraser.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "api/customers/named_views.hpp"
#include "api/gate/idempotency.hpp"
#include "base/ascii.hpp"
#include "base/blanks.hpp"
#include "base/crypto.hpp"
#include "base/error.hpp"
#include "net/mail/mail_directory.hpp"
#include "net/mail/sealed_mail.hpp"
#include "storage/settings/address_hash.hpp"
#include "storage/sql/audit_log.sql.hpp"
#include "storage/sql/customer_erasures.sql.hpp"
#include "storage/sql/mail_outbox.sql.hpp"
#include "storage/sql/purchases.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::api {
namespace {

/// An answer without data, as the gate keeps it.
constexpr std::string_view empty_answer = R"({"data":null,"success":true})";

constexpr std::size_t records_of_upload_part = 500;  // they cost at most as much as a changed row
constexpr std::size_t errors_of_import = 50;

/// Adds each text in the form in which references and SKUs have it: with one space for each run of blanks.
void add_spaced(std::vector<std::string>& texts) {
  const std::size_t count = texts.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (auto spaced = single_spaced(texts[i]); spaced != texts[i]) texts.push_back(std::move(spaced));
  }
}

void make_distinct(std::vector<std::string>& texts) {
  std::ranges::sort(texts);
  texts.erase(std::ranges::unique(texts).begin(), texts.end());
}

template <typename Value>
void append(std::vector<Value>& to, const std::vector<Value>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::int64_t last_event(storage::Session& session) {
  return session.run(sql::customer_erasures::LastEvent{}).front().id;
}

/// Returns the number of events on a page of events of records, and the id of the last.
std::pair<std::int64_t, std::int64_t> page_of_events(storage::Session& session, const Guid& business,
                                                     const Records& records, std::int64_t after,
                                                     std::size_t size) {
  const auto page = session
                        .run(sql::customer_erasures::EventPage{.business = business,
                                                               .records = records.guids,
                                                               .after = after,
                                                               .limit = static_cast<std::int64_t>(size)})
                        .front();
  return {page.events, page.last};
}

/// Calls `use` with each guid in a path or list.
template <typename Use>
void for_guids(std::string_view text, Use use) {
  constexpr std::size_t length = 36;
  for (std::size_t i = 0; i + length <= text.size(); ++i) {
    if (const auto guid = Guid::parse(text.substr(i, length))) use(*guid);
  }
}

}  // namespace

std::vector<Step> PersonEraser::steps() {
  std::vector<Step> steps;
  const auto add = [&](std::vector<Step> more) { std::ranges::move(more, std::back_inserter(steps)); };
  steps.push_back(once(&PersonEraser::read_person));
  add(search_.steps(&unlinked_));
  add_search_of_words(steps);
  steps.push_back(once(&PersonEraser::begin_erasure));
  // These become shipments of the customer.
  const auto unlinked = [this] { return Records{.guids = unlinked_}; };
  steps.push_back(erase_records<sql::customer_erasures::EraseShipments>(unlinked));
  const Source customers = [this] { return Records{.guids = customers_}; };
  steps.push_back(for_portions(customers, [this](storage::Session& session, const Records& portion) {
    for (const Guid& customer : portion.guids) erase_person(session, customer);
  }));
  add_events_and_notes(steps, customers);
  add_erasing_of_texts(steps);
  add_erasing_of_versions(steps);
  steps.push_back(erase_contacts());
  steps.push_back(erase_contacts_in_events());
  steps.push_back(erase_mails());
  steps.push_back(erase_addresses());
  steps.push_back(erase_saved_views());
  add(search_.steps(nullptr));
  steps.push_back(once(&PersonEraser::note_counts));
  add_erasing_of_records(steps);
  steps.push_back(erase_record_answers());
  return steps;
}

void PersonEraser::delete_files() const {
  if (!person_.emails.empty() && !target_.mail_directory.empty())
    net::delete_mails(target_.mail_directory, target_.business.to_string(), person_.emails);
}

Step PersonEraser::forget_changes_of_own_data() const {
  return [this](storage::Session& session, std::size_t size) {
    storage::Work work(session);
    session.execute("lock table own_data_totals in share row exclusive mode");
    const auto limit = static_cast<std::int64_t>(size);
    const auto folded =
        session.run(sql::customer_erasures::FoldOwnData{.business = target_.business, .limit = limit})
            .front()
            .folded;
    work.commit();
    return folded == limit;
  };
}

Step PersonEraser::end() const {
  return [this](storage::Session& session, std::size_t) {
    session.run(sql::customer_erasures::EndErasure{.business = target_.business, .customers = customers_});
    return false;
  };
}

Step PersonEraser::once(Method method) {
  return [this, method](storage::Session& session, std::size_t) {
    (this->*method)(session);
    return false;
  };
}

/// Returns true if the customer is erased.
bool PersonEraser::lock_customer(storage::Session& session, const Guid& customer) const {
  const bool is_target = customer == target_.customer;
  const auto rows = session.run(sql::customer_erasures::Lock{
      .business = target_.business, .customer = customer, .also_deleted = !is_target});
  // A deleted customer that is gone from the database has nothing to erase.
  if (rows.empty() && !is_target) return true;
  if (rows.empty()) throw not_found("customer");
  return rows.front().is_erased;
}

void PersonEraser::read_person(storage::Session& session) {
  lock_customer(session, target_.customer);
  customers_ = {target_.customer};
  read_texts(session);
  const auto deleted = deleted_customers_of(session, target_.business, person_);
  if (!deleted.empty()) {
    append(customers_, deleted);
    read_texts(session);
  }
  unlinked_ = unlinked_shipments(session, target_.business, person_);
}

void PersonEraser::read_texts(storage::Session& session) {
  person_ = person_of_customers(session, target_.business, customers_);
  record_words_.clear();
  contact_of_.clear();
  const auto kept = session.run(
      sql::customer_erasures::SearchedTexts{.business = target_.business, .customer = target_.customer});
  for (const auto& row : kept) {
    if (row.kind == "contact of") {
      for_guids(row.value, [&](const Guid& guid) { contact_of_.push_back(guid); });
      continue;
    }
    auto& texts = row.kind == "name"    ? person_.names
                  : row.kind == "email" ? person_.emails
                  : row.kind == "word"  ? person_.words
                                        : record_words_;
    texts.emplace_back(row.value);
  }
  add_spaced(person_.words);
  for (auto* const texts : {&person_.names, &person_.emails, &person_.words}) make_distinct(*texts);
}

void PersonEraser::add_search_of_words(std::vector<Step>& steps) {
  const auto orders = [this] { return Records{.guids = search_.own().orders}; };
  const auto shipments = [this] { return Records{.guids = search_.own().shipments}; };
  const auto present = [this](storage::Session& session, const Records& portion) {
    const auto rows = session.run(
        sql::customer_erasures::RecordWords{.business = target_.business, .records = portion.guids});
    for (const auto& row : rows) new_words_.add(std::string(row.word), row.newest);
  };
  const auto earlier = [this](storage::Session& session, const Records& portion, std::int64_t after,
                              std::size_t size) {
    const auto page = page_of_events(session, target_.business, portion, after, size);
    const auto rows = session.run(sql::customer_erasures::EventWords{.business = target_.business,
                                                                     .records = portion.guids,
                                                                     .after_event = after,
                                                                     .last_event = page.second});
    for (const auto& row : rows) new_words_.add(std::string(row.word), row.newest);
    return page;
  };
  for (const Source& records : {Source(orders), Source(shipments)}) {
    steps.push_back(for_portions(records, present));
    steps.push_back(for_pages<std::int64_t>(records, earlier));
  }
  steps.push_back(for_pages<std::int64_t>(
      [this] { return search_.left().all(); },
      [this](storage::Session& session, const Records& portion, std::int64_t after, std::size_t size) {
        const auto page = page_of_events(session, target_.business, portion, after, size);
        const auto rows =
            session.run(sql::customer_erasures::LeftWords{.business = target_.business,
                                                          .records = portion.guids,
                                                          .firsts = storage::binary_array(portion.firsts),
                                                          .lasts = storage::binary_array(portion.lasts),
                                                          .after_event = after,
                                                          .last_event = page.second});
        for (const auto& row : rows) new_left_words_.add(std::string(row.word), row.newest);
        return page;
      }));
}

/// After this step, an interrupted erasure can continue.
void PersonEraser::begin_erasure(storage::Session& session) {
  append(record_words_, new_words_.newest());
  append(record_words_, new_left_words_.newest());
  add_spaced(record_words_);
  make_distinct(record_words_);
  words_ = person_.words;
  append(words_, record_words_);
  make_distinct(words_);
  if (words_.empty() && person_.names.empty() && person_.emails.empty()) return;
  session.run(sql::customer_erasures::BeginErasure{.business = target_.business,
                                                   .customers = customers_,
                                                   .names = person_.names,
                                                   .emails = person_.emails,
                                                   .words = person_.words,
                                                   .record_words = record_words_});
}

void PersonEraser::erase_person(storage::Session& session, const Guid& customer) {
  const Guid& business = target_.business;
  const auto last = last_event(session);
  storage::Work work(session);
  if (!lock_customer(session, customer)) {
    session.run(sql::customer_erasures::EraseCustomer{.business = business, .customer = customer});
    session.run(sql::customer_erasures::DropNewEvents{
        .business = business, .records = Guids(&customer, 1), .last_event = last});
    session.run(sql::customer_erasures::AddEvent{.business = business, .customer = customer});
    session.run(storage::sql::audit_log::Note{.business = business,
                                              .action = "erased",
                                              .entity_type = "customer",
                                              .entity = customer,
                                              .entity_name = std::nullopt});
  }
  work.commit();
}

void PersonEraser::note_counts(storage::Session&) {
  counts_.orders = std::ssize(search_.own().orders);
  counts_.shipments = std::ssize(search_.own().shipments);
}

template <typename Statement>
Step PersonEraser::erase_records(const Source& records) {
  return for_portions(records, [this](storage::Session& session, const Records& portion) {
    const auto last = last_event(session);
    storage::Work work(session);
    if constexpr (std::is_same_v<Statement, sql::customer_erasures::EraseShipments>) {
      session.run(Statement{.business = target_.business,
                            .records = portion.guids,
                            .words = words_,
                            .customer = target_.customer});
      session.run(storage::sql::purchases::Erase{.business = target_.business, .shipments = portion.guids});
    } else {
      session.run(Statement{.business = target_.business, .records = portion.guids, .words = words_});
    }
    session.run(sql::customer_erasures::DropNewEvents{
        .business = target_.business, .records = portion.guids, .last_event = last});
    work.commit();
  });
}

Step PersonEraser::erase_events(const Source& records) {
  return for_pages<std::int64_t>(records, [this](storage::Session& session, const Records& portion,
                                                 std::int64_t after, std::size_t size) {
    const auto page = page_of_events(session, target_.business, portion, after, size);
    counts_.events +=
        session
            .run(sql::customer_erasures::EraseEvents{.business = target_.business,
                                                     .records = portion.guids,
                                                     .words = words_,
                                                     .firsts = storage::binary_array(portion.firsts),
                                                     .lasts = storage::binary_array(portion.lasts),
                                                     .after_event = after,
                                                     .last_event = page.second})
            .front()
            .events;
    return page;
  });
}

Step PersonEraser::erase_notes(const Source& records) {
  // No position is needed, because an erased note is not found again.
  return for_pages<int>(
      records, [this](storage::Session& session, const Records& portion, int, std::size_t size) {
        const auto notes =
            session
                .run(sql::customer_erasures::EraseNotes{.business = target_.business,
                                                        .records = portion.guids,
                                                        .firsts = storage::binary_array(portion.firsts),
                                                        .lasts = storage::binary_array(portion.lasts),
                                                        .limit = static_cast<std::int64_t>(size)})
                .front()
                .notes;
        return std::pair(notes, 0);
      });
}

void PersonEraser::add_events_and_notes(std::vector<Step>& steps, const Source& records) {
  steps.push_back(erase_events(records));
  steps.push_back(erase_notes(records));
}

/// Records that left the person belong to others and stay; only their traces, labels that are not used any
/// more, events and notes are erased.
void PersonEraser::add_erasing_of_records(std::vector<Step>& steps) {
  const Source orders = [this] { return Records{.guids = search_.own().orders}; };
  const Source shipments = [this] { return Records{.guids = search_.own().shipments}; };
  const Source left = [this] { return search_.left().all(); };
  steps.push_back(erase_records<sql::customer_erasures::EraseOrders>(orders));
  steps.push_back(erase_records<sql::customer_erasures::EraseShipments>(shipments));
  steps.push_back(erase_left_texts());
  for (const Source& records : {orders, shipments, left}) add_events_and_notes(steps, records);
}

Step PersonEraser::erase_left_texts() {
  return for_portions(
      [this] { return search_.left().all(); },
      [this](storage::Session& session, const Records& portion) {
        session.run(sql::customer_erasures::EraseLeftTraces{
            .business = target_.business, .records = portion.guids, .words = words_});
        session.run(storage::sql::purchases::EraseLeft{.business = target_.business,
                                                       .shipments = portion.guids,
                                                       .firsts = storage::binary_array(portion.firsts),
                                                       .lasts = storage::binary_array(portion.lasts)});
      });
}

void PersonEraser::add_erasing_of_texts(std::vector<Step>& steps) {
  steps.push_back([this, upload = Guid(), part = 0](storage::Session& session, std::size_t size) mutable {
    if (person_.emails.empty() && person_.names.empty()) return false;
    const auto limit = static_cast<std::int64_t>(std::max<std::size_t>(size / records_of_upload_part, 1));
    const auto page = session
                          .run(sql::customer_erasures::EraseUploads{.business = target_.business,
                                                                    .emails = person_.emails,
                                                                    .names = person_.names,
                                                                    .after_upload = upload,
                                                                    .after_part = part,
                                                                    .limit = limit})
                          .front();
    upload = page.last_upload;
    part = page.last_part;
    return page.parts == limit;
  });
  steps.push_back(
      [this, integration = Guid(), id = std::string()](storage::Session& session, std::size_t size) mutable {
        if (person_.words.empty()) return false;
        const auto limit = static_cast<std::int64_t>(size);
        const auto rows =
            session.run(sql::customer_erasures::EraseImportFailures{.business = target_.business,
                                                                    .words = person_.words,
                                                                    .after_integration = integration,
                                                                    .after_id = id,
                                                                    .limit = limit});
        const auto page = rows.front();
        integration = page.last_integration;
        id = page.last_id;
        return page.failures == limit;
      });
  steps.push_back([this, after = Guid()](storage::Session& session, std::size_t size) mutable {
    if (person_.words.empty()) return false;
    const auto limit = static_cast<std::int64_t>(std::max<std::size_t>(size / errors_of_import, 1));
    const auto page =
        session
            .run(sql::customer_erasures::EraseImports{
                .business = target_.business, .words = person_.words, .after = after, .limit = limit})
            .front();
    after = page.last;
    return page.imports == limit;
  });
  steps.push_back(erase_other_answers());
}

/// The noted addresses of mails to the person, also of runs that stay.
Step PersonEraser::erase_addresses() {
  return [this](storage::Session& session, std::size_t size) {
    const auto hash = storage::read_address_hash(session, secrets_);
    if (!hash || person_.emails.empty()) return false;
    std::vector<Guid> addresses;
    addresses.reserve(person_.emails.size());
    for (const std::string& email : person_.emails) addresses.push_back(hash->of(target_.business, email));
    const auto limit = static_cast<std::int64_t>(size);
    return session
               .run(sql::customer_erasures::EraseAddresses{
                   .business = target_.business, .addresses = addresses, .limit = limit})
               .front()
               .addresses == limit;
  };
}

/// The saved views of users that name the person.
Step PersonEraser::erase_saved_views() {
  return [this, after = Guid()](storage::Session& session, std::size_t size) mutable {
    if (words_.empty()) return false;
    const auto users = views_of_users(session, target_.business, after, size, words_);
    for (const UserViews& user : users) {
      if (!user.named.empty()) erase_views(session, target_.business, user.user, words_);
    }
    if (users.size() < size) return false;
    after = users.back().user;
    return true;
  };
}

void PersonEraser::add_erasing_of_versions(std::vector<Step>& steps) {
  steps.push_back([this, after = Guid(), version = 0](storage::Session& session, std::size_t size) mutable {
    if (person_.emails.empty()) return false;
    const auto limit = static_cast<std::int64_t>(size);
    const auto page = session
                          .run(sql::customer_erasures::EraseTemplateVersions{.business = target_.business,
                                                                             .emails = person_.emails,
                                                                             .after_template = after,
                                                                             .after_version = version,
                                                                             .limit = limit})
                          .front();
    after = page.last_template;
    version = page.last_version;
    return page.versions == limit;
  });
  steps.push_back([this, after = Guid(), version = 0](storage::Session& session, std::size_t size) mutable {
    if (person_.emails.empty()) return false;
    const auto limit = static_cast<std::int64_t>(size);
    const auto page = session
                          .run(sql::customer_erasures::EraseWorkflowVersions{.business = target_.business,
                                                                             .emails = person_.emails,
                                                                             .after_workflow = after,
                                                                             .after_version = version,
                                                                             .limit = limit})
                          .front();
    after = page.last_workflow;
    version = page.last_version;
    return page.versions == limit;
  });
  steps.push_back([this, after = Guid()](storage::Session& session, std::size_t size) mutable {
    if (person_.emails.empty()) return false;
    const auto limit = static_cast<std::int64_t>(size);
    const auto page =
        session
            .run(sql::customer_erasures::EraseAuditLog{
                .business = target_.business, .emails = person_.emails, .after = after, .limit = limit})
            .front();
    after = page.last;
    return page.entries == limit;
  });
}

Step PersonEraser::erase_contacts() {
  return [this, after = Guid()](storage::Session& session, std::size_t size) mutable {
    if (person_.emails.empty() && person_.names.empty()) return false;
    const auto limit = static_cast<std::int64_t>(size);
    const auto last = last_event(session);
    storage::Work work(session);
    const auto rows = session.run(sql::customer_erasures::EraseContacts{.business = target_.business,
                                                                        .emails = person_.emails,
                                                                        .names = person_.names,
                                                                        .after = after,
                                                                        .limit = limit});
    const auto page = rows.front();
    std::vector<Guid> changed;
    for_guids(page.changed.value_or(""), [&](const Guid& guid) { changed.push_back(guid); });
    session.run(sql::customer_erasures::DropNewEvents{
        .business = target_.business, .records = changed, .last_event = last});
    keep_contact_of(session, changed);
    work.commit();
    after = page.last;
    return page.customers == limit;
  };
}

Step PersonEraser::erase_contacts_in_events() {
  return [this, after = std::int64_t(0)](storage::Session& session, std::size_t size) mutable {
    if (person_.emails.empty() && person_.names.empty()) return false;
    const auto limit = static_cast<std::int64_t>(size);
    storage::Work work(session);
    const auto rows = session.run(sql::customer_erasures::EraseContactsInEvents{.business = target_.business,
                                                                                .emails = person_.emails,
                                                                                .names = person_.names,
                                                                                .after_event = after,
                                                                                .limit = limit});
    const auto page = rows.front();
    std::vector<Guid> changed;
    for_guids(page.changed.value_or(""), [&](const Guid& guid) { changed.push_back(guid); });
    keep_contact_of(session, changed);
    work.commit();
    after = page.last;
    return page.events == limit;
  };
}

/// Their runs are erased later, also by a repeated request, which finds the person among no contacts.
void PersonEraser::keep_contact_of(storage::Session& session, const std::vector<Guid>& changed) {
  if (changed.empty()) return;
  session.run(sql::customer_erasures::KeepContactOf{
      .business = target_.business, .customer = target_.customer, .contact_of = changed});
  contact_of_.insert(contact_of_.end(), changed.begin(), changed.end());
  make_distinct(contact_of_);
}

/// Erases mails to the person from the outbox, which has those of accounts only: mails of workflows are runs.
Step PersonEraser::erase_mails() {
  return [this, after = Guid()](storage::Session& session, std::size_t size) mutable {
    delete_files();
    if (person_.emails.empty()) return false;
    const auto limit = static_cast<std::int64_t>(size);
    const auto mails = session.run(sql::customer_erasures::Mails{
        .business = target_.business, .emails = person_.emails, .after = after, .limit = limit});
    std::int64_t count = 0;
    Guid last = after;
    for (const auto& mail : mails) {
      const auto message = net::open_mail(secrets_, mail.guid, mail.sealed);
      const bool is_theirs = std::ranges::any_of(message.to, [&](const std::string& to) {
        return std::ranges::find(person_.emails, ascii_lower(to)) != person_.emails.end();
      });
      if (is_theirs) session.run(storage::sql::mail_outbox::Remove{.mail = mail.guid});
      last = mail.guid;
      ++count;
    }
    after = last;
    return count == limit;
  };
}

/// Erases kept answers of requests that created the records or something that belongs to them, such as the
/// person as a contact of another customer. Of records that left the person, only answers from before they
/// left.
Step PersonEraser::erase_record_answers() {
  return [this, token = Guid(), key = std::string(), lasts = std::unordered_map<Guid, Time>()](
             storage::Session& session, std::size_t size) mutable {
    if (lasts.empty()) {
      const auto& left = search_.left();
      for (const auto& guid : search_.own().with(customers_)) lasts[guid] = Time::max();
      for (const auto& guid : contact_of_) lasts[guid] = Time::max();
      for (std::size_t i = 0; i < left.guids.size(); ++i) {
        Time& last = lasts.try_emplace(left.guids[i], Time::min()).first->second;
        last = std::max(last, left.lasts[i]);
      }
    }
    const auto limit = static_cast<std::int64_t>(size);
    const auto page = session.run(sql::customer_erasures::RecordAnswers{.business = target_.business,
                                                                        .after_token = token,
                                                                        .after_key = key,
                                                                        .session_owner = owner_of_sessions,
                                                                        .limit = limit});
    std::int64_t count = 0;
    for (const auto& answer : page) {
      bool is_theirs = false;
      for_guids(answer.location, [&](const Guid& guid) {
        const auto last = lasts.find(guid);
        is_theirs = is_theirs || (last != lasts.end() && answer.created_at <= last->second);
      });
      if (is_theirs) erase_answer(session, answer);
      ++count;
    }
    if (count < limit) return false;
    const auto last = page[static_cast<int>(count - 1)];
    token = last.token;
    key = last.key;
    return true;
  };
}

/// Erases kept answers that are found by their text alone: those of previews and tests of workflows, whose
/// paths name no record.
Step PersonEraser::erase_other_answers() {
  return [this, token = Guid(), key = std::string()](storage::Session& session, std::size_t size) mutable {
    if (words_.empty()) return false;
    const auto limit = static_cast<std::int64_t>(size);
    const auto page = session.run(sql::customer_erasures::OtherAnswers{.business = target_.business,
                                                                       .after_token = token,
                                                                       .after_key = key,
                                                                       .session_owner = owner_of_sessions,
                                                                       .limit = limit});
    if (page.empty()) return false;
    std::vector<std::string> bodies;
    for (const auto& answer : page) {
      const auto sealed = base64_decode(answer.body);
      if (!sealed) throw SecretError("a kept answer is not base64");
      bodies.push_back(secrets_.open(*sealed, kept_answer_purpose(answer.token, answer.key)));
    }
    const auto found = session.run(sql::customer_erasures::FindPerson{.answers = bodies, .words = words_});
    for (const auto& row : found) erase_answer(session, page[static_cast<int>(row.place) - 1]);
    const auto last = page[static_cast<int>(bodies.size()) - 1];
    token = last.token;
    key = last.key;
    return std::ssize(bodies) == limit;
  };
}

void PersonEraser::erase_answer(storage::Session& session, const auto& answer) const {
  const auto purpose = kept_answer_purpose(answer.token, answer.key);
  session.run(sql::customer_erasures::EraseAnswer{.owner = answer.owner,
                                                  .token = answer.token,
                                                  .key = answer.key,
                                                  .body = base64(secrets_.seal(empty_answer, purpose))});
}

}  // namespace waybill::api
