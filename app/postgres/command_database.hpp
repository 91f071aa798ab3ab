#pragma once

#include <memory>
#include <string>

#include "app/config/config.hpp"
#include "app/postgres/postgres_cluster.hpp"

namespace waybill::app {

/// The database of a command: that of --database-url, or the cluster of the data directory. If the cluster's
/// server does not run, this object runs it for as long as it lives.
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
