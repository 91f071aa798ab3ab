#pragma once

#include <string>
#include <vector>

#include "base/guid.hpp"
#include "storage/session/session.hpp"

namespace waybill::api {

/// The guids of a customer's orders and shipments, also of deleted ones.
struct CustomerRecords {
  std::vector<Guid> orders;
  std::vector<Guid> shipments;

  /// The guids of all of them and of the customer.
  std::vector<Guid> with(const Guid& customer) const;
};

CustomerRecords records_of_customer(storage::Session& session, const Guid& business, const Guid& customer);

/// Adds the guids of the next orders of a customer, at most `size`, and of its next shipments. Each returns
/// true if there may be more.
bool add_own_orders(storage::Session& session, const Guid& business, const Guid& customer, std::size_t size,
                    std::vector<Guid>& orders);
bool add_own_shipments(storage::Session& session, const Guid& business, const Guid& customer,
                       std::size_t size, std::vector<Guid>& shipments);

/// Sorts guids and removes repeated ones.
void make_distinct(std::vector<Guid>& guids);

/// The texts that identify a person, in lower case: those of the customer and of stored events, at most 1 000
/// in total.
struct Person {
  std::vector<std::string> words;  // all that are long enough to be searched for inside other texts
  std::vector<std::string> names;
  std::vector<std::string> emails;
};

Person person_of_customer(storage::Session& session, const Guid& business, const Guid& customer);

/// The guids of shipments without customer and order that go to one of the person's e-mail addresses.
std::vector<Guid> unlinked_shipments(storage::Session& session, const Guid& business, const Person& person);

}  // namespace waybill::api
