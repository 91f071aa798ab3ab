#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/secret_box.hpp"
#include "base/thread/service.hpp"
#include "connectors/connector.hpp"
#include "domain/workflows/retry.hpp"
#include "net/destination/destination.hpp"
#include "net/mail/mail.hpp"

namespace waybill::worker {

/// Turns committed changes into performed workflows: takes its share of the outbox's shards, matches their
/// events, performs the runs and records them. Also imports from stores, and buys carrier labels. Any number
/// of workers may share one database. Owns its threads and connections, and reconnects automatically. Work
/// that a crash interrupts is repeated by the next owner under the same run guids.
class Worker final : public Service {
 public:
  struct Options {
    std::string database_url;
    int store_reads = 2;  // connections of the thread for stores
    int store_writes = 5;
    net::DestinationPolicy destinations;
    std::string ca_file;
    net::MailOptions mail;
    std::string mail_from;
    std::int64_t mails_per_day = 0;  // recipients of a self-registered business; 0: no limit
    domain::RetrySchedule schedule = domain::RetrySchedule::standard();
    int retention_days = 30;  // retention of events and runs
    int positions_retention_days = 90;
    int deleted_retention_days = 90;                      // retention of deleted records
    std::int64_t blast_factor = 100;                      // worker/guard/blast_guard.hpp
    std::int64_t blast_minimum = 1000;                    // 0 in either turns the guard off
    Duration import_interval = std::chrono::seconds(60);  // between two imports from a store
    connectors::Connector::Options connectors;
    std::vector<std::string> carrier_gateways;  // of the operator, without a trailing slash
    std::string public_url;    // URL of the API, for links to tracking pages; no links if empty
    std::string push_contact;  // the operator's address for push services: a mailto: or https: URL, or empty
  };

  /// `secrets` outlives it.
  Worker(Options options, const SecretBox& secrets);
  ~Worker() override;

  void start() override;

  /// Takes no more events, releases the shards, waits until `until` for attempts in flight, and returns the
  /// remaining runs to the queue.
  void stop(Moment until) override;

  /// True if the worker is connected and last read the outbox less than a minute ago.
  bool healthy() const;

  /// True if the pump, the workflow loader and the preparation have all turned within the limit, with or
  /// without a database.
  bool turns(std::chrono::steady_clock::duration limit) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::worker
