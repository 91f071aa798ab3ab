#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <vector>

#include "tests/worker/no_upstream.hpp"
#include "tests/worker/worker_database.hpp"
#include "worker/delivery/runner.hpp"
#include "worker/guard/blast_guard.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/outcomes/recorder.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/queue/due_floors.hpp"
#include "worker/queue/preparation.hpp"

namespace waybill::tests {

class UnusedMailer final : public net::Mailer {
  void transmit(net::MailMessage, Done) override { throw std::logic_error("no test sends a mail"); }
};

/// The parts of a worker to which the pump passes events and runs. A test that adds a part which they call
/// overrides the methods of `Upstream`, and calls `stop_parts` before it destroys that part.
class WorkerParts : public WorkerDatabase, protected NoUpstream {
 protected:
  WorkerParts() {
    pauses_.start();
    recorder_.start();
  }
  ~WorkerParts() override { stop_parts(); }

  void stop_parts() {
    preparation_.stop_at_once();
    runner_.stop();
    recorder_.flush(std::chrono::seconds(5));
  }

  /// Locks the secrets of workflows, so that no workflow can be read until the returned connection is closed.
  /// A worker still sees which workflows have changed. Switches off the audit log of workflows, which also
  /// reads the secrets.
  Session keep_from_reading() const {
    Session blocker = database_.connect();
    blocker.exec("alter table workflows disable trigger audit_insert, disable trigger audit_change");
    blocker.exec("begin; lock table workflow_secrets in access exclusive mode");
    return blocker;
  }

  /// Creates a business of another shard, with a workflow of orders named w.
  Guid add_business_with_workflow() {
    const Guid other =
        Guid::parse(database_.value("insert into businesses (guid, name) select guid, 'Other' from (select "
                                    "gen_random_uuid() as guid from generate_series(1, 1000)) g "
                                    "where shard_of(guid) <> shard_of($1) limit 1 returning guid",
                                    {business_.to_string()}))
            .value();
    database_.rows(
        "insert into workflows (business_id, name, entity_type, trigger_code, action, conditions) "
        "values ($1, 'w', 0, 'order_created', '{\"type\": \"nothing\"}', '{}')",
        {other.to_string()});
    return other;
  }

  void rename_workflow(const Guid& workflow) {
    database_.exec("update workflows set name = name || ' again' where guid = '" + workflow.to_string() +
                   "'");
  }

  worker::Upstream& upstream() { return *this; }

  worker::Catalogue catalogue_{secrets_};
  net::HttpClient http_{{}};
  UnusedMailer mailer_;
  worker::PauseWriter pauses_{database_.url(), secrets_};
  worker::Recorder recorder_{{.sessions = database_.url(), .worker = worker_}, pauses_, upstream()};
  worker::Runner runner_{
      {}, catalogue_, {.http = http_, .clock = system_clock(), .mailer = mailer_}, recorder_, upstream()};
  worker::Preparation preparation_{
      {.sessions = database_.url(), .worker = worker_}, catalogue_, runner_, system_clock(), upstream()};
  worker::DueFloors floors_;
  worker::BlastGuard guard_{{.factor = 0, .minimum = 0}, pauses_, system_clock()};
};

}  // namespace waybill::tests
