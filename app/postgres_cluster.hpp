#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>

namespace waybill::app {

/// The cluster cannot be made, started or used; the message says what to do about it.
class ClusterError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Another process owns the data directory.
class ClusterInUse : public ClusterError {
 public:
  using ClusterError::ClusterError;
};

/// The PostgreSQL server of a data directory: made on first use, run as a child, started again when it dies.
///
/// Layout of the data directory:
///   postgres/      the cluster; appears whole or not at all
///   socket/        its unix socket, or under /tmp when the path would be too long for one (sun_path, 107
///   bytes) database-url   how to reach it up.lock        held while a process owns the cluster
///
/// Whoever may enter the data directory may use the database; a new one is closed to other users (mode 0700).
/// Started by root, the server runs as the cluster's owner, at first `postgres` or else `nobody`. It then
/// reaches its directories through descriptors that it inherits, and so needs no right to the directories
/// above.
///
/// Committed transactions survive the death of any process and of the machine. A server that outlived its
/// owner is stopped before a new one is started.
class PostgresCluster {
 public:
  struct Options {
    std::filesystem::path data_dir;
    std::filesystem::path bin_dir;  // empty: searched for
  };

  /// Returns when the server accepts connections; throws ClusterError, also when `stop` is requested
  /// meanwhile.
  explicit PostgresCluster(const Options& options, std::stop_token stop = {});
  /// Stops the server.
  ~PostgresCluster();
  PostgresCluster(const PostgresCluster&) = delete;
  PostgresCluster& operator=(const PostgresCluster&) = delete;

  /// What psql and --database-url accept.
  const std::string& url() const;

  /// Ends the server with a checkpoint, or without one when that takes longer than `limit` (the next start
  /// then recovers). Further calls do nothing.
  void stop(std::chrono::milliseconds limit = std::chrono::seconds(60));

  /// The URL that the last start wrote into the data directory. Throws ClusterError when there is none.
  static std::string url_of(const std::filesystem::path& data_dir);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::app
