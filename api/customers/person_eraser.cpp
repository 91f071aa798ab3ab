#include "api/customers/person_eraser.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "api/customers/named_views.hpp"
#include "api/customers/person_eraser_parts.hpp"
#include "base/blanks.hpp"
#include "net/mail/mail_directory.hpp"
#include "storage/sql/audit_log.sql.hpp"
#include "storage/sql/customer_erasures.sql.hpp"
#include "storage/sql/purchases.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::api {
namespace {

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

}  // namespace

std::int64_t last_event(storage::Session& session) {
  return session.run(sql::customer_erasures::LastEvent{}).front().id;
}

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

}  // namespace waybill::api
