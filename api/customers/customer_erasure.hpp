#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "api/threads/analysis.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"

namespace waybill::api {

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

/// Erases the data of a person, in transactions of a fraction of a second (see perform). First it finds the
/// person's records and texts, and keeps the texts in customer_erasures, so that a repeated request
/// continues with them after a crash at any point. Shipments that only the person's address links to the
/// customer become shipments of the customer. Then the customer is erased, which writes the event, and
/// everything that is found by the person's texts; then the orders and shipments. Of orders and shipments
/// that were the person's before, only events, runs and answers of that time are erased, and texts of traces
/// that name the person. Then it waits until no worker has a message with the old data in memory, and erases
/// the runs. It holds no thread while it waits, and none for long otherwise. Throws Failure: NOT_FOUND,
/// UNAVAILABLE if messages are still being sent after some seconds (everything else is erased then) or other
/// changes hold the data, and what Analysis and storage::Session throw.
asio::awaitable<ErasedCounts> erase_customer(Analysis& analysis, const SecretBox& secrets,
                                             ErasureTarget target);

}  // namespace waybill::api
