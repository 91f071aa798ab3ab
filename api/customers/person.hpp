#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/guid.hpp"
#include "storage/session/session.hpp"

namespace waybill::api {

/// The guids of a person's orders and shipments, also of deleted ones.
struct CustomerRecords {
  std::vector<Guid> orders;
  std::vector<Guid> shipments;

  /// The guids of all of them and of the person's customers.
  std::vector<Guid> with(std::span<const Guid> customers) const;
};

CustomerRecords records_of_customers(storage::Session& session, const Guid& business,
                                     std::span<const Guid> customers);

/// Adds the guids of the next orders of customers, at most `size`, and of their next shipments. Each returns
/// true if there may be more.
bool add_own_orders(storage::Session& session, const Guid& business, std::span<const Guid> customers,
                    std::size_t size, std::vector<Guid>& orders);
bool add_own_shipments(storage::Session& session, const Guid& business, std::span<const Guid> customers,
                       std::size_t size, std::vector<Guid>& shipments);

/// Sorts guids and removes repeated ones.
void make_distinct(std::vector<Guid>& guids);

/// The texts that identify a person, in lower case: those of the person's customers and of stored events, at
/// most 1 000 in total.
struct Person {
  std::vector<std::string> words;  // all that are long enough to be searched for inside other texts
  std::vector<std::string> names;
  std::vector<std::string> emails;
};

Person person_of_customers(storage::Session& session, const Guid& business, std::span<const Guid> customers);

/// The guids of the deleted customers that are the person, because they have one of the e-mail addresses. One
/// of an unfinished erasure counts, too.
std::vector<Guid> deleted_customers_of(storage::Session& session, const Guid& business, const Person& person);

/// The guids of shipments without customer and order that go to one of the person's e-mail addresses.
std::vector<Guid> unlinked_shipments(storage::Session& session, const Guid& business, const Person& person);

}  // namespace waybill::api
