#include "api/api.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "api/accounts/password_hasher.hpp"
#include "api/endpoint/router.hpp"
#include "api/gate/held_bytes.hpp"
#include "api/gate/own_writes.hpp"
#include "api/http/url.hpp"
#include "api/jobs/job_runner.hpp"
#include "api/records/totals.hpp"
#include "api/shipments/print_places.hpp"
#include "api/system/readiness.hpp"
#include "api/threads/analysis.hpp"
#include "api/threads/background.hpp"
#include "base/database_clock.hpp"
#include "storage/pq/connect_params.hpp"
#include "storage/standbys/standbys.hpp"

namespace waybill::api {
/// The objects that all io threads use.
struct Api::Shared {
  Shared(Options chosen, const SecretBox& box)
      : options(std::move(chosen)),
        secrets(box),
        router(options.endpoints),
        bytes(options.memory_limit),
        analysis(options.database.url),
        maps(options.maps),
        stores(options.stores),
        gateways(options.gateways) {
    if (!options.standby_url.empty()) standbys.emplace(storage::pq::standbys_of(options.standby_url).size());
  }

  Options options;
  const SecretBox& secrets;
  Router router;
  QuotaLedger quota;
  PasswordHasher passwords;
  Readiness readiness;
  PublicLimits public_limits;
  ByteLimits bytes;
  Analysis analysis;
  Background background;
  // No body is refused: each connection has at most one at a time.
  Background bodies{{.kind = ThreadKind::bodies,
                     .most = HttpLimits().most_connections * 2,
                     .most_of_one = HttpLimits().most_connections}};
  // One thread, because one document is drawn at a time: another one would only wait.
  Background drawing{{.kind = ThreadKind::drawing, .threads = 1}};
  // A merge can take all of its time, and two businesses leave a thread to others.
  Background merging{{.kind = ThreadKind::merging, .threads = 3}};
  PrintPlaces printing;
  Maps maps;
  Stores stores;
  connectors::Gateways gateways;
  std::atomic<std::uint64_t> token_epoch = 0;
  std::function<void()> wake_jobs;  // set before the io threads run; empty without a database
  struct StandbyShared {
    explicit StandbyShared(std::size_t standbys) : log(standbys) {}
    OwnWrites own_writes;
    storage::StandbyLog log;
  };
  std::optional<StandbyShared> standbys;
  // These call back into the io contexts, so they stop after the server and before the io contexts end.
  ServiceList services{
      {&passwords, &bodies, &background, &drawing, &merging, &analysis, &stores, &gateways, &maps}};
};

class Api::ThreadResponder : public Responder {
 public:
  ThreadResponder(asio::io_context& io, Shared& shared)
      : database_(io, shared.options.database),
        standbys_(make_standbys(io, shared)),
        services_{.db = database_,
                  .clock = database_clock(),
                  .secrets = shared.secrets,
                  .settings = shared.options.settings,
                  .analysis = shared.analysis,
                  .background = shared.background,
                  .bodies = shared.bodies,
                  .drawing = shared.drawing,
                  .merging = shared.merging,
                  .printing = shared.printing,
                  .maps = shared.maps,
                  .stores = shared.stores,
                  .gateways = shared.gateways,
                  .passwords = shared.passwords,
                  .readiness = shared.readiness,
                  .public_limits = shared.public_limits,
                  .totals = totals_,
                  .tokens_changed = [&shared] { ++shared.token_epoch; },
                  .note_full_disk = [&shared] { shared.readiness.note_full_disk(); },
                  .send_mails = shared.options.send_mails,
                  .wake_jobs =
                      [&shared] {
                        if (shared.wake_jobs) shared.wake_jobs();
                      }},
        tokens_(database_),
        authenticator_(io.get_executor(), shared.options.tokens ? *shared.options.tokens : tokens_,
                       database_clock(), {.epoch = &shared.token_epoch}),
        leases_(database_),
        quota_(shared.quota, shared.options.leases ? *shared.options.leases : leases_),
        gate_(shared.router, services_, authenticator_, shared.options.plans, quota_, shared.bytes,
              shared.options.gate,
              {.standbys = standbys_.get(),
               .own_writes = shared.standbys ? &shared.standbys->own_writes : nullptr}) {
    // The first thread performs the jobs of the process.
    if (shared.wake_jobs || shared.options.tokens != nullptr) return;
    jobs_.emplace(io, services_, shared.options.endpoints);
    shared.wake_jobs = [this] { jobs_->wake(); };
  }

  asio::awaitable<void> respond(const Request& request, RequestBody& body, Response& response) override {
    return gate_.respond(request, body, response);
  }
  void refuse(const Failure& failure, Response& response) override { gate_.refuse(failure, response); }
  std::shared_ptr<void> hold(const Client& client, std::size_t bytes) override {
    return gate_.hold(client, bytes);
  }

 private:
  std::unique_ptr<storage::Standbys> make_standbys(asio::io_context& io, Shared& shared) {
    if (!shared.standbys) return nullptr;
    return std::make_unique<storage::Standbys>(
        io, database_,
        storage::Standbys::Options{.url = shared.options.standby_url, .database = shared.options.database},
        shared.standbys->log);
  }

  storage::Database database_;
  std::unique_ptr<storage::Standbys> standbys_;  // null if there are none
  Totals totals_;
  Services services_;
  SqlTokenStore tokens_;
  Authenticator authenticator_;
  SqlLeaseSource leases_;
  LeasedQuota quota_;
  Gate gate_;
  std::optional<JobRunner> jobs_;  // of one thread of the process
};

Api::Api(Options options, const SecretBox& secrets)
    : shared_(std::make_unique<Shared>(std::move(options), secrets)),
      server_(std::make_unique<Server>(shared_->options.server, [this](asio::io_context& io) {
        return std::make_unique<ThreadResponder>(io, *shared_);
      })) {
  std::string& public_url = shared_->options.settings.public_url;
  if (public_url.empty()) public_url = url();
}

Api::~Api() {
  stop_at_once();
  shared_->services.stop({});
  server_.reset();
}

void Api::start() { server_->start(); }

void Api::stop(Moment until) { server_->stop(until); }

Server& Api::server() const { return *server_; }

std::string Api::url() const { return "http://" + authority(shared_->options.server.host, server_->port()); }

}  // namespace waybill::api
