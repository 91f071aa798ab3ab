#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace waybill::app {

inline constexpr int oldest_postgres = 15;
inline constexpr int newest_postgres = 17;

/// A directory with `postgres` and `initdb` of one major version.
struct PostgresPrograms {
  std::filesystem::path directory;
  int version = 0;
};

/// The installed server programs: those of `bin_dir` alone when it is given, else on the PATH and where
/// distributions put them. Newest first. Throws ClusterError when `bin_dir` has none.
std::vector<PostgresPrograms> find_postgres(const std::filesystem::path& bin_dir);

/// Those that a cluster of `cluster_version` needs; 0 for a new cluster, which gets the newest supported.
/// Throws ClusterError with what was found and what is needed.
PostgresPrograms choose_postgres(const std::vector<PostgresPrograms>& found, int cluster_version,
                                 const std::filesystem::path& cluster);

/// Whether its server was built with LZ4, which costs a fraction of PostgreSQL's own compression; without it
/// the settings that name it would keep the server from starting.
bool compresses_with_lz4(const PostgresPrograms& programs);

/// The content of `waybill.conf`, which is made at each start: sized for `memory_bytes`, and never at the
/// cost of durability.
std::string server_settings(std::uint64_t memory_bytes, bool lz4);

/// What this process may use: the machine's memory or its control group's limit, whichever is less.
std::uint64_t usable_memory();

}  // namespace waybill::app
