// Erases the person among the contacts of other customers, and as an address of mails.
#include <algorithm>
#include <string>
#include <vector>

#include "api/customers/person_eraser.hpp"
#include "api/customers/person_eraser_parts.hpp"
#include "base/ascii.hpp"
#include "net/mail/sealed_mail.hpp"
#include "storage/settings/address_hash.hpp"
#include "storage/sql/customer_erasures.sql.hpp"
#include "storage/sql/mail_outbox.sql.hpp"

namespace waybill::api {

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

}  // namespace waybill::api
