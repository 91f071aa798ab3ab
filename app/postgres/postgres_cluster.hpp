#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>

namespace waybill::app {

/// The cluster cannot be created, started or used; the message names the remedy.
class ClusterError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Another process owns the data directory.
class ClusterInUse : public ClusterError {
 public:
  using ClusterError::ClusterError;
};

/// The PostgreSQL server of a data directory: created on first use, run as a child process, restarted when it
/// dies.
///
/// Layout of the data directory:
///   postgres/      the cluster; complete or absent
///   socket/        its unix socket; under /tmp if the path is too long (sun_path, 107 bytes)
///   database-url   the URL of the database
///   up.lock        held while a process owns the cluster
///
/// Users who may enter the data directory may use the database; a new directory is closed to other users
/// (mode 0700). If the process runs as root, the server runs as the cluster's owner; a new cluster belongs to
/// `postgres` or else `nobody`. The server then uses inherited descriptors of its directories, so it needs no
/// access to the directories above them.
///
/// Committed transactions survive the death of any process and of the machine. A server that outlived its
/// owner is stopped before a new one is started.
class PostgresCluster {
 public:
  struct Options {
    std::filesystem::path data_dir;
    std::filesystem::path bin_dir;  // searched for if empty
  };

  /// Returns when the server accepts connections. Throws ClusterError, also if `stop` is requested before
  /// that.
  explicit PostgresCluster(const Options& options, std::stop_token stop = {});
  /// Stops the server.
  ~PostgresCluster();
  PostgresCluster(const PostgresCluster&) = delete;
  PostgresCluster& operator=(const PostgresCluster&) = delete;

  /// A URL for psql and --database-url.
  const std::string& url() const;

  /// Ends the server with a checkpoint, or without one if that takes longer than `limit` (the next start then
  /// recovers). Later calls do nothing.
  void stop(std::chrono::milliseconds limit = std::chrono::seconds(60));

  /// The URL that the last start wrote into the data directory. Throws ClusterError when there is none.
  static std::string url_of(const std::filesystem::path& data_dir);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::app
