#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/gate/auth.hpp"
#include "api/gate/gate.hpp"
#include "api/gate/quota.hpp"
#include "api/http/server.hpp"
#include "api/route_plans/maps.hpp"
#include "api/threads/stores.hpp"
#include "base/secret_box.hpp"
#include "base/thread/service.hpp"
#include "connectors/gateways/gateways.hpp"
#include "storage/database/database.hpp"

namespace waybill::api {

/// The REST API: a server whose io threads each have a database, services and a gate. A crash loses only the
/// answers in flight.
class Api final : public Service {
 public:
  struct Options {
    Server::Options server;
    Gate::Options gate;
    storage::Database::Options database;
    std::string standby_url;               // URL of all standbys; empty if there are none
    std::size_t memory_limit = 1UL << 30;  // bytes that clients may keep in memory, see ByteLimits
    Plans plans;
    /// If the public URL is empty, links have the address that the server listens on.
    Settings settings;
    Maps::Options maps;
    Stores::Options stores;
    connectors::Gateways::Options gateways;
    std::vector<Endpoint> endpoints = all_endpoints();
    /// Sends the mails in the outbox (Services::send_mails). Any io thread calls it.
    std::function<asio::awaitable<void>()> send_mails = []() -> asio::awaitable<void> { co_return; };
    /// Null for those of the database; tests of the gate have no database. Used by all io threads.
    TokenStore* tokens = nullptr;
    LeaseSource* leases = nullptr;
  };

  /// Listens at once; connections wait until `start`. `secrets` outlives it. Throws
  /// boost::system::system_error for an address that cannot be used.
  Api(Options options, const SecretBox& secrets);
  ~Api() override;

  void start() override;
  /// See Server::stop. The other threads end in the destructor.
  void stop(Moment until) override;

  Server& server() const;
  /// http://HOST:PORT
  std::string url() const;

 private:
  struct Shared;
  class ThreadResponder;

  std::unique_ptr<Shared> shared_;
  std::unique_ptr<Server> server_;
};

}  // namespace waybill::api
