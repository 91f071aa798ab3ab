#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "api/threads/analysis.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
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

/// The texts that identify a person, in lower case: present ones and those of stored events, at most 1 000 in
/// all.
struct Person {
  std::vector<std::string> words;  // all that are long enough to be searched for inside other texts
  std::vector<std::string> names;
  std::vector<std::string> emails;
};

Person person_of_customer(storage::Session& session, const Guid& business, const Guid& customer);

/// The guids of shipments without customer and order that go to one of the person's e-mail addresses.
std::vector<Guid> unlinked_shipments(storage::Session& session, const Guid& business, const Person& person);

/// The numbers of orders and shipments of the person, and of events and runs that held the person's data.
struct ErasedCounts {
  std::int64_t orders = 0;
  std::int64_t shipments = 0;
  std::int64_t events = 0;
  std::int64_t runs = 0;
};

struct ErasureTarget {
  Guid business;
  Guid customer;
  std::string cause;                     // JSON, of the changes
  std::filesystem::path mail_directory;  // of written mails; empty if there is none
};

/// Erases the data of a person. Shipments that only the person's address links to the customer are the first;
/// they become shipments of the customer. The next transaction erases the customer and everything that is
/// found by the person's words; it writes the event. Orders and shipments follow in portions of their own
/// transactions. Of orders and shipments that were the person's before, only events, runs and answers of that
/// time are erased, and texts of traces that name the person. Then it waits until no worker has a message
/// with the old data in memory, and erases the runs. It can be repeated after a crash at any point. It holds
/// no thread while it waits. Throws Failure: NOT_FOUND, UNAVAILABLE if messages are still being sent after
/// some seconds (everything else is erased then), and like Analysis and storage::Session.
asio::awaitable<ErasedCounts> erase_customer(Analysis& analysis, const SecretBox& secrets,
                                             ErasureTarget target);

}  // namespace waybill::api
