#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/service.hpp"
#include "connectors/connector.hpp"
#include "net/destination/destination_counts.hpp"
#include "worker/stores/store_thread.hpp"

namespace waybill::worker {

/// Imports from the stores of all businesses when they are due, up to `places` at once, on the thread for
/// stores. One worker at a time imports from a store. Each page is committed at once, so a crash loses
/// nothing: the integration becomes free when the worker's session has ended, or after `lease` at the latest,
/// and the next owner continues the same run.
class Importer final : public Service {
 public:
  struct Options {
    Guid worker;
    connectors::Connector::Options connectors;
    Duration interval =
        std::chrono::seconds(60);  // between two imports from a store, shortened by up to 20 %
    std::size_t places = 32;
    /// The most imports of one business on all workers; not more than the thread's write connections for the
    /// pages of one business.
    std::size_t places_of_business = 3;
    Duration lease = std::chrono::seconds(30);
    net::DestinationCounts* counts = nullptr;  // counts the requests; outlives the importer
  };

  /// `secrets` and `thread` must outlive the importer, which must exist until the thread has stopped.
  Importer(Options options, const SecretBox& secrets, StoreThread& thread);
  ~Importer() override;

  void start() override;
  /// Stops the imports after their current page, cancels their requests and releases the integrations.
  void stop_accepting() override;
  /// Waits for that, for at most 3 s. An import that does not end in time is left as after a crash when the
  /// thread stops.
  void drain(Moment until) override;
  void stop(Moment until) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::worker
