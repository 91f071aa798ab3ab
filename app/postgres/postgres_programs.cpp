#include "app/postgres/postgres_programs.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ranges>
#include <string_view>
#include <unistd.h>

#include "app/postgres/postgres_cluster.hpp"
#include "base/joined_texts.hpp"

namespace waybill::app {
namespace {

namespace fs = std::filesystem;

/// The first line that a program prints; empty if it cannot be run.
std::string first_line(const fs::path& program, const char* arguments) {
  if (program.string().find('\'') != std::string::npos) return {};
  const std::string command = "'" + program.string() + "' " + arguments + " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "re"), &::pclose);
  char line[200] = "";
  if (pipe == nullptr || std::fgets(line, sizeof line, pipe.get()) == nullptr) return {};
  return line;
}

/// The major version in "postgres (PostgreSQL) 15.20 (…)"; 0 when there is none.
int program_version(const fs::path& postgres) {
  const std::string text = first_line(postgres, "--version");
  const std::size_t at = text.find(") ");
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + 2);
}

std::vector<fs::path> candidate_directories() {
  std::vector<fs::path> result;
  const char* const path =
      std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (colon != 0) result.emplace_back(rest.substr(0, colon));
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    result.push_back(entry.path() / "bin");
  }
  for (int version = newest_postgres; version >= oldest_postgres; --version) {
    result.emplace_back("/usr/pgsql-" + std::to_string(version) + "/bin");
  }
  result.emplace_back("/usr/local/pgsql/bin");
  return result;
}

std::string list(const std::vector<PostgresPrograms>& found) {
  if (found.empty()) return "none";
  return joined_texts(found | std::views::transform([](const PostgresPrograms& programs) {
                        return std::to_string(programs.version) + " in " + programs.directory.string();
                      }));
}

}  // namespace

std::vector<PostgresPrograms> find_postgres(const fs::path& bin_dir) {
  std::vector<PostgresPrograms> found;
  for (const fs::path& directory : bin_dir.empty() ? candidate_directories() : std::vector{bin_dir}) {
    if (::access((directory / "initdb").c_str(), X_OK) != 0) continue;
    const int version = program_version(directory / "postgres");
    if (version > 0) found.push_back({directory, version});
  }
  if (found.empty() && !bin_dir.empty()) {
    throw ClusterError("--pg-bin-dir: there are no PostgreSQL server programs (postgres, initdb) in " +
                       bin_dir.string());
  }
  std::ranges::sort(found, std::ranges::greater(), &PostgresPrograms::version);
  return found;
}

PostgresPrograms choose_postgres(const std::vector<PostgresPrograms>& found, int cluster_version,
                                 const fs::path& cluster) {
  for (const PostgresPrograms& programs : found) {
    const bool fits = cluster_version != 0
                          ? programs.version == cluster_version
                          : programs.version >= oldest_postgres && programs.version <= newest_postgres;
    if (fits) return programs;
  }
  if (cluster_version != 0) {
    throw ClusterError(cluster.string() + " was made by PostgreSQL " + std::to_string(cluster_version) +
                       ", whose server programs are not installed (found: " + list(found) +
                       "). Install that version, or move the data with pg_dump or pg_upgrade.");
  }
  throw ClusterError("no PostgreSQL server of version " + std::to_string(oldest_postgres) + " to " +
                     std::to_string(newest_postgres) + " is installed (found: " + list(found) +
                     "). Install one, name it with --pg-bin-dir, or give --database-url.");
}

bool compresses_with_lz4(const PostgresPrograms& programs) {
  return first_line(programs.directory / "postgres",
                    "-C wal_compression -c wal_compression=lz4 -c config_file=/dev/null -D /")
      .starts_with("lz4");
}

std::string server_settings(std::uint64_t memory_bytes, bool lz4) {
  const std::uint64_t megabytes = memory_bytes >> 20;
  const auto size = [](std::string_view name, std::uint64_t mb) {
    return std::string(name) + " = " + std::to_string(mb) + "MB\n";
  };
  return "# Rewritten at each start. Settings in postgresql.conf, below its include, override these.\n" +
         size("shared_buffers", std::clamp<std::uint64_t>(megabytes / 4, 32, 2048)) +
         size("effective_cache_size", std::max<std::uint64_t>(megabytes / 2, 128)) +
         size("maintenance_work_mem", std::clamp<std::uint64_t>(megabytes / 16, 32, 512)) +
         size("work_mem", std::clamp<std::uint64_t>(megabytes / 256, 4, 32)) +
         "max_connections = 200\n"
         "wal_buffers = 16MB\n"
         "min_wal_size = 256MB\n"
         "max_wal_size = 4GB\n" +
         (lz4 ? "wal_compression = lz4\n"
                "default_toast_compression = lz4\n"
              : "wal_compression = on\n") +
         "checkpoint_timeout = 15min\n"
         "checkpoint_completion_target = 0.9\n"
         "random_page_cost = 1.1\n"
         "effective_io_concurrency = 200\n"
         // Short statements gain nothing from JIT and parallel workers, and containers have little shared
         // memory for workers.
         "jit = off\n"
         "max_parallel_workers_per_gather = 0\n"
         "max_parallel_maintenance_workers = 0\n"
         "autovacuum_naptime = 10s\n"
         "autovacuum_vacuum_cost_limit = 1000\n"
         "timezone = 'UTC'\n"
         "log_timezone = 'UTC'\n"
         "logging_collector = on\n"
         "log_filename = 'postgresql-%a.log'\n"
         "log_truncate_on_rotation = on\n"
         "log_rotation_age = 1d\n"
         "log_rotation_size = 0\n"
         "log_checkpoints = off\n";
}

}  // namespace waybill::app
