#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace waybill::app {

inline constexpr int oldest_postgres = 15;
inline constexpr int newest_postgres = 18;

/// A directory with `postgres` and `initdb` of one major version.
struct PostgresPrograms {
  std::filesystem::path directory;
  int version = 0;
};

/// The installed server programs, newest first: those of `bin_dir` if it is given, else those on the PATH and
/// in the usual directories of distributions. Throws ClusterError if `bin_dir` has none.
std::vector<PostgresPrograms> find_postgres(const std::filesystem::path& bin_dir);

/// The programs for a cluster of `cluster_version`; 0 is a new cluster, which gets the newest supported
/// version. Throws ClusterError, which names the versions found and needed.
PostgresPrograms choose_postgres(const std::vector<PostgresPrograms>& found, int cluster_version,
                                 const std::filesystem::path& cluster);

/// True if the server was built with LZ4, which costs a fraction of PostgreSQL's own compression. A server
/// without it does not start with settings that name it.
bool compresses_with_lz4(const PostgresPrograms& programs);

/// The content of `waybill.conf`, which each start rewrites: sized for `memory_bytes`, and fully durable.
std::string server_settings(std::uint64_t memory_bytes, bool lz4);

}  // namespace waybill::app
