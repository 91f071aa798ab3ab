#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "connectors/connector.hpp"
#include "net/destination.hpp"

namespace waybill::worker {

/// Imports from the stores of all businesses when they are due, up to `places` at once, on a dedicated
/// thread. One worker at a time imports from a store. Each page is committed at once, so a crash loses
/// nothing: the integration becomes free when the worker's session has ended, or after `lease` at the latest,
/// and the next owner continues the same run. Reconnects to the database automatically.
class Importer {
 public:
  struct Options {
    std::string database_url;
    Guid worker;
    net::DestinationPolicy destinations;
    std::string ca_file;
    connectors::Connector::Options connectors;
    Duration interval =
        std::chrono::seconds(60);  // between two imports from a store, shortened by up to 20 %
    std::size_t places = 32;
    /// The most imports of one business on all workers; fewer than the importer's write connections.
    std::size_t places_of_business = 3;
    Duration lease = std::chrono::seconds(30);
  };

  /// `secrets` must outlive the importer.
  Importer(Options options, const SecretBox& secrets);
  ~Importer();  // calls stop(0) if it was not stopped
  Importer(const Importer&) = delete;
  Importer& operator=(const Importer&) = delete;

  /// Stops the imports after their current page or request, releases the integrations and joins. Imports that
  /// do not end within `limit` are left as after a crash. Has no effect when called again.
  void stop(Duration limit);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::worker
