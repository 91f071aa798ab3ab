#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/secret_box.hpp"
#include "connectors/connector.hpp"
#include "domain/retry.hpp"
#include "net/destination.hpp"
#include "net/mail.hpp"

namespace waybill::worker {

/// Turns committed changes into performed workflows: takes its share of the outbox's shards, matches their
/// events, performs the runs and records them; imports from stores. Any number may work on one database. Owns
/// its threads and connections; reconnects by itself. What a crash interrupts is done again by the next owner
/// under the same run guids.
class Worker {
 public:
  struct Options {
    std::string database_url;
    SecretBox::Key secret_key{};
    net::DestinationPolicy destinations;
    std::string ca_file;
    net::MailOptions mail;
    std::string mail_from;
    std::int64_t mails_per_day = 0;  // recipients of a business that registered itself; 0: any number
    domain::RetrySchedule schedule = domain::RetrySchedule::standard();
    int retention_days = 30;  // of events and runs
    int positions_retention_days = 90;
    std::int64_t blast_factor = 100;                      // worker/guard/blast_guard.hpp
    std::int64_t blast_minimum = 1000;                    // 0 in either: off
    Duration import_interval = std::chrono::seconds(60);  // between two sweeps over a store
    connectors::Connector::Options connectors;
    std::string push_contact;  // where push services reach the operator: a mailto: or https: URL, or empty
  };

  explicit Worker(Options options);
  ~Worker();  // stop(0) if it was not called
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start();

  /// Takes no more events, waits up to `limit` for tries in flight, hands what is left to the queue and gives
  /// the shards back. Once.
  void stop(Duration limit);

  /// Whether it reads its shards: connected, and its last look at the outbox is less than a minute old.
  bool healthy() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::worker
