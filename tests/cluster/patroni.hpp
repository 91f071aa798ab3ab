#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/cluster/machine.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {

/// Three machines with etcd, Patroni and PostgreSQL, with the configuration of deploy/patroni: addresses
/// 10.0.0.11 to 13, synchronous replication. Methods throw std::runtime_error if the cluster is not in the
/// requested state in time. For one thread at a time.
class Patroni {
 public:
  static constexpr std::size_t size = 3;

  /// Returns once a primary has two standbys, and the role and database `waybill` exist.
  Patroni();

  /// The URL of the database waybill with the three hosts.
  std::string url() const;
  /// The same URL with ports, for versions that need them.
  std::string url_with_ports() const;
  /// The URL of one server, whatever its role is.
  std::string url(std::size_t server) const;

  std::size_t primary() const;
  /// Returns once one server is primary, the others stream from it, and one of them is synchronous if that is
  /// requested.
  void wait_until_complete();
  void set_synchronous(bool on);

  /// Makes another server the primary, without a loss.
  void switch_over();
  /// Kills all processes of the primary's PostgreSQL; with `and_patroni` also the program that would restart
  /// it. Returns the server.
  std::size_t kill_primary(bool and_patroni);
  /// Cuts the primary from the majority of etcd; clients and standbys still reach it. Returns the server.
  std::size_t cut_primary_from_etcd();
  /// Starts what `kill_primary` has ended and mends what `cut_primary_from_etcd` has cut.
  void repair();
  /// The end of each Patroni's log.
  std::string logs() const;

 private:
  struct Server {
    std::unique_ptr<Machine> machine;
    std::unique_ptr<Process> etcd;
    std::unique_ptr<Process> patroni;
    bool is_cut = false;
  };

  void start_etcd(std::size_t server);
  void start_patroni(std::size_t server);
  void create_database() const;
  std::optional<std::size_t> complete_primary() const;

  TempDirectory directory_;
  bool synchronous_ = true;
  std::array<Server, size> servers_;
};

}  // namespace waybill::tests
