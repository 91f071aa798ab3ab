#pragma once

#include <memory>

#include "base/database_clock.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/service.hpp"
#include "tests/simulate/database.hpp"
#include "tests/simulate/destinations.hpp"
#include "worker/duties/duties.hpp"
#include "worker/event_pipeline.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/queue/due_floors.hpp"
#include "worker/shards/lease_keeper.hpp"

namespace waybill::simulate {

/// A worker as Worker::Impl puts it together, with those of its duties that take care of events and runs and
/// without its other background work. All calls come from fibers of its
/// owner.
class SimulatedWorker {
 public:
  SimulatedWorker(Database& database, Destinations& destinations, std::shared_ptr<ModelHttp> http,
                  Owner owner, const Guid& guid);
  ~SimulatedWorker();
  SimulatedWorker(const SimulatedWorker&) = delete;
  SimulatedWorker& operator=(const SimulatedWorker&) = delete;

  void start() { services_.start(); }
  /// As Worker::stop.
  void stop(Service::Moment until) { services_.stop(until); }

  const Guid& guid() const { return guid_; }
  /// The process has ended: nothing that it sends from now on is sent.
  void cut_off() {
    http_->cut_off();
    mailer_.cut_off();
  }

 private:
  const std::shared_ptr<ModelHttp> http_;
  const Guid guid_;
  const storage::Sessions sessions_;
  const worker::Worker::Options options_;
  const SecretBox secrets_{SecretBox::Key{}};
  worker::Catalogue catalogue_{secrets_};
  ModelMailer mailer_;
  worker::PauseWriter pauses_;
  worker::DueFloors floors_;
  worker::EventPipeline pipeline_;
  worker::LeaseKeeper leases_;
  worker::Duties duties_;
  // In the order of Worker::Impl.
  ServiceList services_;
};

}  // namespace waybill::simulate
