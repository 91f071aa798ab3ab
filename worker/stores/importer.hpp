#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "connectors/connector.hpp"
#include "net/destination.hpp"

namespace waybill::worker {

/// Sweeps over the stores of all businesses when they are due, each by one worker at a time, up to `places`
/// at once, on a thread of its own. A sweep's pages are committed as they come, so that a crash loses
/// nothing: the integration is free as soon as the worker's session has ended (duties/lost_workers.cpp), at
/// the latest after `lease`, and the next owner goes on with the same run. Reconnects to the database by
/// itself.
class Importer {
 public:
  struct Options {
    std::string database_url;
    Guid worker;
    net::DestinationPolicy destinations;
    std::string ca_file;
    connectors::Connector::Options connectors;
    Duration interval = std::chrono::seconds(60);  // between two sweeps over one store, varied by a fifth
    std::size_t places = 32;
    /// Sweeps of one business, on all workers together: fewer than the importer's connections for pages.
    std::size_t places_of_business = 3;
    Duration lease = std::chrono::seconds(30);
  };

  /// `secrets` must outlive the importer.
  Importer(Options options, const SecretBox& secrets);
  ~Importer();  // stop(0) if it was not called
  Importer(const Importer&) = delete;
  Importer& operator=(const Importer&) = delete;

  /// Ends the sweeps after the page or at the request they are at, gives the integrations back and joins;
  /// what does not end within `limit` is left as by a crash. Once.
  void stop(Duration limit);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::worker
