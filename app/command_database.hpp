#pragma once

#include <memory>
#include <string>

#include "app/config.hpp"
#include "app/postgres_cluster.hpp"

namespace waybill::app {

/// The database that a command works on: the one of --database-url, or the cluster of the data directory. The
/// latter is used where it runs; when nothing runs there, this object runs it for as long as it lives.
class CommandDatabase {
 public:
  /// Throws ClusterError or DatabaseUnavailable.
  explicit CommandDatabase(const Config& config);

  const std::string& url() const { return url_; }

 private:
  std::unique_ptr<PostgresCluster> cluster_;
  std::string url_;
};

}  // namespace waybill::app
